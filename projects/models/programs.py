"""Boxes and links that programs predict."""

from django.db import models
from django.db.models import Q

from annotation.models import Image, Project
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
