"""Long work on a project as a row: its state, how far it is, and why it failed; evaluations and predictions."""

from typing import Any, ClassVar, Literal, get_args

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project
from runtime import clock

RunState = Literal["waiting", "running", "cancelled", "failed", "done"]
"""The states of long work, as `LongWork.State` has them."""
RUN_STATES = get_args(RunState)


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
        return f"{self.CALLED or f'projects.{self._meta.model_name}'} {self.pk}"

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


class Evaluation(LongWork):
    """One step of an evaluation on an export of the project. Its files are an archive in storage."""

    step = models.CharField(max_length=60, help_text='System and step, such as "localization baselines".')
    unfinished = models.BooleanField(default=False, help_text="Unfinished images are exported, too.")
    name = models.CharField(max_length=80, blank=True, help_text="The name of the model that is scored.")
    # JSON and no tables: a few values that only the step understands. The cost: the database does not check them.
    given = models.JSONField(default=dict, help_text="Uploaded files: their names in storage, by option of the step.")
    options = models.JSONField(default=dict, help_text="Other options of the step, by name.")
    seed = models.PositiveIntegerField(default=0)
    doing = models.CharField(max_length=80, blank=True, help_text="What is being done, in words.")
    images = models.PositiveIntegerField(default=0, help_text="Images in the export.")
    # JSON and no tables: written once, with the end, and read whole, as the page shows it. The cost: the database
    # does not check its shape.
    values = models.JSONField(default=dict, help_text="The report as its page shows it.")

    class Meta:
        ordering = ("project", "-id")
        constraints = one_at_a_time("evaluation")

    def __str__(self) -> str:
        return f"evaluation {self.pk} of {self.project}"


class CampaignPrediction(LongWork):
    """A simulated forecast of a project by each way to ask, from a sample of its images. Its steps are images."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="campaign_predictions")
    crowd = models.CharField(max_length=20, default="paper", help_text="The name of the simulated crowd.")
    workers = models.PositiveIntegerField(default=20, help_text="Workers who are expected.")
    trusted = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Those among them who are trusted from the start."
    )
    program_errors = models.PositiveSmallIntegerField(
        null=True, help_text="The errors of an imagined model annotator, in percent; empty: those at work."
    )
    good_percent = models.PositiveSmallIntegerField(
        null=True, help_text="The good boxes of an imagined program that proposes, in percent; empty: as measured."
    )
    bad_percent = models.PositiveSmallIntegerField(default=0, help_text="The share of bad workers, in percent.")
    sample = models.PositiveIntegerField(default=30, help_text="Images that are simulated.")
    repetitions = models.PositiveSmallIntegerField(default=2, help_text="Times that each image is simulated.")
    seed = models.PositiveIntegerField(default=0)
    settings_version = models.PositiveIntegerField(help_text="The version of the settings that it began from.")
    # JSON and no table: written once, with the end, and read whole. The cost: the database does not check its shape.
    values = models.JSONField(default=dict, help_text="The forecast of each way to ask.")

    CALLED = "projects.predict"

    class Meta:
        ordering = ("project", "-id")
        constraints = (
            *one_at_a_time("campaign_prediction"),
            models.CheckConstraint(condition=Q(bad_percent__lte=90), name="campaign_prediction_workers_are_good"),
        )

    def __str__(self) -> str:
        return f"prediction {self.pk} of {self.project}"

    @property
    def all_trusted(self) -> int:
        """The number of workers who are trusted from the start."""
        return min(self.trusted, self.workers)

    @property
    def newcomers(self) -> int:
        """The number of workers who take the test and probation."""
        return self.workers - self.all_trusted
