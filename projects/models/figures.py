"""Figures of a project that take long to compute, kept as of a time; and how far a requester has read."""

from django.conf import settings
from django.db import models

from annotation.models import Project
from runtime import clock


class Figures(models.Model):
    """One group of figures of a project, as of a time. Whatever is here can be computed again from the other tables."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="figures", db_index=False)
    name = models.CharField(max_length=20)
    computed_at = models.DateTimeField()
    seconds = models.FloatField(help_text="The time that computing took: a slow group is computed less often.")
    # JSON and no columns: a group is only ever written and read whole, by `projects.dashboard`. The cost: the database
    # does not check its shape.
    values = models.JSONField()

    class Meta:
        ordering = ("project", "name")
        verbose_name_plural = "figures"
        constraints = (models.UniqueConstraint(fields=["project", "name"], name="figures_once"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.project_id}"


class Looked(models.Model):
    """The moment up to which the requesters have read what workers said in a project."""

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="looked")
    until = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name_plural = "looked"

    def __str__(self) -> str:
        return f"project {self.project_id}: read up to {self.until:%Y-%m-%d %H:%M}"
