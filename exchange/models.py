"""Selections: images that somebody chose to export, kept because the archive is made later by a job runner."""

from django.db import models

from annotation.models import Project
from runtime import clock


class Selection(models.Model):
    """Some images of a project, as they were found by a search. Never edited; deleted with its archives."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="selections")
    digest = models.CharField(max_length=16, help_text="Of the images and of what is exported of them.")
    # Ids in JSON, not a table: written once, by one statement, and always read whole.
    images = models.JSONField(help_text="Ids of the images, in ascending order.")
    include_unmerged = models.BooleanField(help_text="Unfinished images are exported as they are so far.")
    words = models.CharField(max_length=500, blank=True, help_text="The search that found the images, in words.")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["project", "digest"], name="selection_once"),)

    def __str__(self) -> str:
        return f"{len(self.images)} images of {self.project}"
