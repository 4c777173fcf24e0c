"""Long work on a project as a row: what it does, how far it is, and how it ended."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project
from runtime import clock


class Run(models.Model):
    """Long work that a person began, watches and may stop. A process does it; the row outlives the process."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        PAUSED = "paused"
        CANCELLED = "cancelled"
        FAILED = "failed"
        DONE = "done"

    class Request(models.TextChoices):
        """A request that the process reads between two steps."""

        NOTHING = "", "nothing"
        PAUSE = "pause"
        CANCEL = "cancel"

    operation = models.CharField(max_length=40, help_text="The name of the operation that began it.")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The account that began it, or resumed it last: it goes on by this account's right.",
    )
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    requested = models.CharField(max_length=6, choices=Request, blank=True, default=Request.NOTHING)
    lane = models.CharField(max_length=60, help_text="Of the runs of a project in one lane, one is open.")
    # JSON and no tables: a few values that only the operation understands, written once and read whole, which its
    # models check. The cost: the database does not check them.
    input = models.JSONField(default=dict, help_text="The values that the work is done with.")
    result = models.JSONField(default=dict, help_text="The result; of images, the counts so far.")
    done = models.PositiveIntegerField(default=0, help_text="Steps done so far.")
    total = models.PositiveIntegerField(default=0, help_text="About as many steps as there are; 0: not known.")
    message = models.CharField(max_length=200, blank=True, help_text="The present step, in words.")
    problem = models.TextField(blank=True, help_text="The reason why it failed.")
    asked_at = models.DateTimeField(default=clock.now)
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    OPEN: ClassVar = (State.WAITING, State.RUNNING)

    class Meta:
        ordering = ("project", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "paused", "cancelled", "failed", "done"]),
                name="run_state_known",
            ),
            models.UniqueConstraint(
                fields=["project", "lane"], condition=Q(state__in=["waiting", "running"]), name="run_one_open_in_lane"
            ),
        )

    def __str__(self) -> str:
        return f"{self.operation} {self.pk} of {self.project}"

    @property
    def key(self) -> str:
        """The name of this work among the runs of jobs."""
        return f"projects.run {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def seconds(self) -> float:
        """The time since it began, or that it took."""
        if self.begun_at is None:
            return 0.0
        return round(((self.ended_at or clock.now()) - self.begun_at).total_seconds(), 1)
