"""The lessons of answers in projects, apart from their settings."""

from enum import StrEnum
from secrets import token_hex

from django.db import models
from django.db.models import Q

from annotation.models import Project
from annotation.state_columns import choices, known
from runtime import clock


class Origin(StrEnum):
    """The source of a learned state."""

    GIVEN = "given"
    FITTED = "fitted"
    """To known chains or labels, when somebody asked for it."""
    REFIT = "refit"
    """To the project's answers."""


def new_key() -> str:
    """Return a key that no row ever had, not even one whose transaction failed: processes keep states by their keys."""
    return token_hex(16)


class Learned(models.Model):
    """The lessons of a project's answers, or what somebody gave in its place. Never edited; a refit adds a row."""

    key = models.CharField(max_length=32, primary_key=True, default=new_key, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="learned")
    values = models.JSONField()
    origin = models.CharField(max_length=8, choices=choices(Origin))
    base = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        help_text="What somebody gave, towards which a refit was pulled; empty: the defaults.",
    )
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = "learned state"
        ordering = ("project", "-created_at")
        constraints = (
            models.CheckConstraint(condition=known("origin", Origin), name="learned_origin_known"),
            models.CheckConstraint(
                condition=Q(origin=Origin.REFIT.value) | Q(base__isnull=True), name="learned_base_of_refits"
            ),
        )

    def __str__(self) -> str:
        return f"{self.origin} {self.created_at:%Y-%m-%d %H:%M}"
