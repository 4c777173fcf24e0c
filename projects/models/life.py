"""Moves of a project from state to state."""

from django.conf import settings
from django.db import models

from annotation.models import Project
from annotation.rules.states import ProjectState
from annotation.state_columns import choices
from runtime import clock


class StateChange(models.Model):
    """One move of a project from a state to another, with who made it and when."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="state_changes")
    before = models.CharField(max_length=8, choices=choices(ProjectState))
    after = models.CharField(max_length=8, choices=choices(ProjectState))
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("project", "id")

    def __str__(self) -> str:
        return f"{self.project}: {self.before} to {self.after}"
