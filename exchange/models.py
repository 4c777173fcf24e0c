"""Selections: what somebody chose to export, kept because the archive is made later by a job runner."""

from django.db import models

from annotation.models import Project
from runtime import clock


class Selection(models.Model):
    """The choices of an export that is not the plain one. Never edited; deleted with its archives."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="selections")
    digest = models.CharField(max_length=16, help_text="Of everything that was chosen.")
    # JSON, not tables: written once, by one statement, and always read whole.
    images = models.JSONField(null=True, help_text="Ids of the images, in ascending order; empty: all.")
    include_unmerged = models.BooleanField(help_text="Unfinished images are exported as they are so far.")
    options = models.JSONField(default=dict, help_text="The options, as of ExportOptions.")
    words = models.CharField(max_length=500, blank=True, help_text="The search that found the images, in words.")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["project", "digest"], name="selection_once"),)

    def __str__(self) -> str:
        return f"{'all' if self.images is None else len(self.images)} images of {self.project}"
