"""Long work on a project as a row: its state, how far it is, and why it failed."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project
from upkeep import clock


class Wanted(models.TextChoices):
    """A wish of the requester, which the work reads between two steps."""

    NOTHING = "", "nothing"
    PAUSE = "pause"
    CANCEL = "cancel"


def one_at_a_time(model: str, *more: str) -> tuple[models.BaseConstraint, ...]:
    """Return the constraints of long work: known states, `more` among them, and one open row for each project."""
    states = ["waiting", "running", *more, "cancelled", "failed", "done"]
    return (
        models.CheckConstraint(condition=Q(state__in=states), name=f"{model}_state_known"),
        models.UniqueConstraint(
            fields=["project"], condition=Q(state__in=["waiting", "running"]), name=f"{model}_one_at_a_time"
        ),
    )


class LongWork(models.Model):
    """Work that a requester begins, watches and may stop. A job runner does it; the row outlives the process."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        CANCELLED = "cancelled"
        FAILED = "failed"
        DONE = "done"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="%(class)ss")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    stopped = models.BooleanField(default=False, help_text="The requester wants it to stop.")
    done = models.PositiveIntegerField(default=0, help_text="Steps done so far.")
    total = models.PositiveIntegerField(default=0, help_text="Steps in all; 0: not known.")
    problem = models.TextField(blank=True, help_text="Why it failed.")
    asked_at = models.DateTimeField(default=clock.now)
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    OPEN: ClassVar = (State.WAITING, State.RUNNING)
    RESUMABLE: ClassVar[tuple[str, ...]] = ()
    """States from which the work can go on."""
    CALLED: ClassVar[str] = ""
    """The first part of `key` where it is another than the model's name."""

    class Meta:
        abstract = True

    @property
    def key(self) -> str:
        """The name of this work among the runs of jobs."""
        return f"{self.CALLED or f'campaign.{self._meta.model_name}'} {self.pk}"

    @property
    def share(self) -> str:
        """The name under which the project has one piece of such work done at a time."""
        return f"long work of {self.project_id}"

    def wish(self, wanted: Wanted) -> dict[str, Any]:
        """Return the values of the row by which the requester wants this."""
        return {"stopped": wanted != Wanted.NOTHING}

    def wanted_now(self) -> str:
        """Return what the requester wants now. The work of a row that is gone is cancelled."""
        stopped = type(self)._default_manager.filter(pk=self.pk).values_list("stopped", flat=True).first()
        return Wanted.NOTHING.value if stopped is False else Wanted.CANCEL.value
