"""Measurements of programs: what one's predictions save in a project, tried in two scratch copies."""

from django.db import models
from django.db.models import Q

from annotation.models import Project
from campaign.models.long_work import LongWork
from workers.models import Worker


class ModelMeasurement(LongWork):
    """A comparison of two dry runs of the same images, with a program's predictions and without any.

    Its steps are images: each is copied and finished, twice.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="model_measurements")
    program = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="model_measurements")
    settings_version = models.PositiveIntegerField(help_text="The version of the settings that it began from.")
    doing = models.CharField(max_length=80, blank=True, help_text="What is being done, in words.")
    copy_without = models.ForeignKey(
        Project, null=True, on_delete=models.SET_NULL, related_name="+", help_text="The copy in which workers draw."
    )
    copy_with = models.ForeignKey(
        Project, null=True, on_delete=models.SET_NULL, related_name="+", help_text="The copy with the predictions."
    )
    # JSON and no table: written once, with the end, and read whole. The cost: the database does not check its shape.
    values = models.JSONField(default=dict, help_text="The figures without and with the program, and their changes.")

    class Meta:
        ordering = ("project", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "cancelled", "failed", "done"]),
                name="model_measurement_state_known",
            ),
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(state__in=["waiting", "running"]),
                name="model_measurement_one_at_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"measurement {self.pk} of {self.program} in {self.project}"

    @property
    def key(self) -> str:
        """The name of this work among the runs of jobs."""
        return f"campaign.measure {self.pk}"
