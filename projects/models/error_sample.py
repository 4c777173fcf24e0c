"""Samples of finished images whose errors an expert counts [paper 3.3.3]."""

from django.db import models

from annotation.models import Project
from runtime import clock


class ErrorSample(models.Model):
    """A random sample of finished images, and what was found in each [paper 3.3.3]."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="error_samples")
    seed = models.PositiveIntegerField(help_text="The same seed chooses the same images out of the same finished ones.")
    images = models.JSONField(help_text="Ids of the sampled images, in the order in which they are looked at.")
    # Counts in JSON, not a table: one small object for each image, read and written whole with the sample.
    tallies = models.JSONField(default=dict, help_text="What was found, by the image's id: counts of errors and parts.")
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"sample {self.pk} of {len(self.images)} images"
