"""Boxes and links that programs predict, and measurements of what these save, tried in two scratch copies."""

from django.db import models
from django.db.models import Q

from annotation.models import Image, Project
from projects.models.long_work import LongWork, one_at_a_time
from runtime import clock
from workers.models import Worker


class ModelPrediction(models.Model):
    """All that one program predicts for one image; a later import of the program takes its place.

    While it is due, its boxes are still to be entered in the record of the image.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="model_predictions", db_index=False)
    program = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="model_predictions")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="model_predictions")
    # JSON and no tables: written once, and always read whole, with the image. The cost: no foreign key guards the
    # numbers of mentions; those of removed mentions are passed over.
    boxes = models.JSONField(default=list, help_text="Rows of [mention, x0, y0, x1, y1], in the order of trying them.")
    chains = models.JSONField(default=list, help_text="Lists of mentions that refer to the same, as the program says.")
    flags = models.JSONField(
        default=dict, db_default={}, help_text="Of a checked source: by a mention's number, why its chain has no box."
    )
    due = models.BooleanField(default=True)
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("project", "program", "image")
        constraints = (
            models.UniqueConstraint(fields=["project", "program", "image"], name="model_prediction_once_per_image"),
        )
        indexes = (models.Index(fields=["project"], condition=Q(due=True), name="model_prediction_due"),)

    def __str__(self) -> str:
        return f"{self.program} on {self.image}"


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

    CALLED = "projects.measure"

    class Meta:
        ordering = ("project", "-id")
        constraints = one_at_a_time("model_measurement")

    def __str__(self) -> str:
        return f"measurement {self.pk} of {self.program} in {self.project}"
