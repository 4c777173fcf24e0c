"""Evaluations: reports on a project's data and on predictions for it, by the systems of `evaluation`."""

from django.db import models

from campaign.models.long_work import LongWork, one_at_a_time


class Evaluation(LongWork):
    """One step of an evaluation on an export of the project. Its files are an archive in storage."""

    step = models.CharField(max_length=60, help_text='System and step, such as "localization baselines".')
    unfinished = models.BooleanField(default=False, help_text="Unfinished images are exported, too.")
    name = models.CharField(max_length=80, blank=True, help_text="The name of the model that is scored.")
    # JSON and no tables: a few values that only the step understands. The cost: the database does not check them.
    given = models.JSONField(default=dict, help_text="Uploaded files: their names in storage, by option of the step.")
    options = models.JSONField(default=dict, help_text="Other options of the step, by name.")
    seed = models.PositiveIntegerField(default=0)
    doing = models.CharField(max_length=80, blank=True, help_text="What is being done, in words.")
    images = models.PositiveIntegerField(default=0, help_text="Images in the export.")
    # JSON and no tables: written once, with the end, and read whole, as the page shows it. The cost: the database
    # does not check its shape.
    values = models.JSONField(default=dict, help_text="The report as its page shows it.")

    class Meta:
        ordering = ("project", "-id")
        constraints = one_at_a_time("evaluation")

    def __str__(self) -> str:
        return f"evaluation {self.pk} of {self.project}"
