"""The time for which each table keeps its rows: for ever, or by a rule. A new table must be named here."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.db.models import Model, QuerySet

from accounts.models import MemberInvitation, SecurityEvent
from annotation.rules.states import ProjectState
from labelling.models import OutgoingMail, SignIn
from pipeline.models import Assignment, Transition
from pipeline.protocol.state.progress import StateMachine
from projects.models import Alert, Delivery, ImportProblem
from runtime import clock
from runtime.models import JobRun
from workers.models import Message

# Rows go in short transactions, so that no one waits. A table is walked by its primary key, some thousand rows at a
# time. Whatever ends the walk, what was deleted stays deleted, and the next walk finds the rest.
STEP = 5_000
"""The most rows that one step looks at."""


@dataclass(frozen=True, slots=True)
class PruneRule:
    """Rows that are needed for a time, and no longer."""

    name: str
    """The name under which RETENTION gives the days."""
    model: type[Model]
    due: Callable[[QuerySet[Any], datetime], QuerySet[Any]]
    """Takes rows and the moment before which they are old. Returns those of them that may go."""
    emptied: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are emptied, with their new value, where the row itself stays."""

    def __str__(self) -> str:
        return f"{self.name}: {self.model._meta.verbose_name_plural}"


def count_due(rule: PruneRule, before: datetime) -> int:
    """Return the number of rows that `prune` would delete or empty."""
    return rule.due(rule.model._default_manager.all(), before).count()


def prune(rule: PruneRule, before: datetime) -> Iterator[int]:
    """Delete or empty the rows that are old, in steps. Yields the number of rows of each step."""
    rows = rule.model._default_manager.order_by("pk")
    after: Any = None
    while True:
        rest = rows if after is None else rows.filter(pk__gt=after)
        last = list(rest.values_list("pk", flat=True)[STEP - 1 : STEP])
        step = rest.filter(pk__lte=last[0]) if last else rest
        old = rule.due(step.order_by(), before)
        yield old.update(**rule.emptied) if rule.emptied else old.delete()[0]
        if not last:
            return
        after = last[0]


logger = logging.getLogger(__name__)
ENDED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)
SHOWN_MACHINES = (StateMachine.CHAIN.value, StateMachine.BOX.value)
"""Of these the record tells, too, and only an image's history and its project's figures read them from the table."""
RULES = (
    PruneRule("sessions", Session, lambda rows, before: rows.filter(expire_date__lt=before)),
    *(
        PruneRule(
            "sessions",
            model,
            lambda rows, before: rows.exclude(session_key__in=Session.objects.values("session_key")),
        )
        for model in (SignIn, UserSession)
    ),
    PruneRule(
        "drafts",
        Assignment,
        lambda rows, before: rows.filter(draft__isnull=False, ended_at__lt=before, expires_at__lt=before),
        {"draft": None},
    ),
    PruneRule(
        "jobs",
        JobRun,
        lambda rows, before: rows.filter(state__in=(JobRun.State.FAILED, JobRun.State.DONE), finished_at__lt=before),
    ),
    PruneRule("invitations", MemberInvitation, lambda rows, before: rows.filter(expires_at__lt=before)),
    PruneRule(
        "deliveries",
        Delivery,
        lambda rows, before: rows.exclude(state=Delivery.State.DUE).filter(
            due_at__lt=before, alert__settled_at__isnull=False
        ),
    ),
    PruneRule("problems", ImportProblem, lambda rows, before: rows.filter(run__ended_at__lt=before)),
    PruneRule("alerts", Alert, lambda rows, before: rows.filter(settled_at__lt=before)),
    PruneRule("notices", Message, lambda rows, before: rows.filter(created_at__lt=before, read_at__isnull=False)),
    PruneRule(
        "moves",
        Transition,
        # Those of a project that comes back from an archive are compared with it first.
        lambda rows, before: rows.filter(
            machine__in=SHOWN_MACHINES, created_at__lt=before, project__state__in=ENDED, project__away__isnull=True
        ),
    ),
    PruneRule(
        "mail",
        OutgoingMail,
        lambda rows, before: rows.exclude(state=OutgoingMail.State.DUE).filter(made_at__lt=before),
    ),
    PruneRule("events", SecurityEvent, lambda rows, before: rows.filter(last_at__lt=before)),
    PruneRule("log", LogEntry, lambda rows, before: rows.filter(action_time__lt=before)),
)
BY_OTHERS = {
    "exchange.Selection": "a week, with the archive that was made of it: exchange/publish_export.py",
    "projects.Upload": "two weeks after its last piece, or until it is imported: projects/uploads/files.py",
    "projects.UploadedFile": "with its upload: projects/uploads/files.py",
    "projects.UploadedPiece": "with its upload: projects/uploads/files.py",
    "projects.Figures": "one row of each figure, computed anew: projects/dashboard/figures.py",
    "workers.SkillEstimate": "one row of each worker, project and task, computed anew: reports",
    "pipeline.LabelDoubt": "one row of each label, written anew: pipeline/record/write_doubts.py",
    "platforms.Identity": "until its worker is forgotten: labelling/own_data.py",
    "labelling.Conversation": "until its worker is forgotten: labelling/own_data.py",
    "labelling.Post": "until its worker is forgotten: labelling/own_data.py",
}
"""Tables whose rows go, or are replaced, by another part of the service."""
KEPT_FOREVER = {
    "the record and all that is folded from it": (
        *("pipeline.Entry", "pipeline.Judgment", "pipeline.Skip", "pipeline.SettingsVersion", "pipeline.Progress"),
        "pipeline.Learned",
        *("pipeline.Question", "pipeline.KnownQuestion", "pipeline.Assignment"),
        *("annotation.Project", "annotation.Image", "annotation.Caption", "annotation.Chain", "annotation.Mention"),
        *("annotation.Box", "annotation.MergedBox", "annotation.KnownBox", "annotation.Gold"),
        *("projects.GoldImage", "projects.GoldAnnotation", "projects.ModelPrediction", "projects.StateChange"),
    ),
    "money": (
        *("pipeline.LedgerEntry", "pipeline.Spending", "platforms.Offer", "platforms.Session", "platforms.Payment"),
        *("platforms.Recruitment", "platforms.Counterpart"),
    ),
    "who may do what, and how workers were judged": (
        *("workers.Worker", "workers.Access", "workers.Invitation", "workers.ApiKey", "workers.TrustStatus"),
        *("workers.TrustChange", "workers.WorkerSignal", "platforms.Screening"),
        *("accounts.Membership", "accounts.BorrowedPictures", "accounts.Right", "accounts.RequesterToken"),
        *("auth.User", "auth.User_groups", "auth.User_user_permissions", "auth.Group", "auth.Group_permissions"),
        *("auth.Permission", "contenttypes.ContentType"),
        *("account.EmailAddress", "account.EmailConfirmation", "mfa.Authenticator"),
        *("socialaccount.SocialAccount", "socialaccount.SocialApp", "socialaccount.SocialToken"),
    ),
    "what requesters made, until they delete it": (
        *("projects.AlertChannel", "projects.ErrorSample", "projects.Looked", "projects.Run"),
        "projects.ItemsFile",
    ),
}
"""Tables whose rows stay for as long as their project, by reason."""


def prune_all(
    *,
    now: datetime | None = None,
    seconds: float | None = None,
    step: Callable[[PruneRule, int], object] = lambda *_: None,
) -> int:
    """Delete and empty what is old by the days of RETENTION. Returns the number of rows.

    `seconds`: the time after which no further step begins. `step` gets each rule with the rows of each step.
    """
    now, until = now or clock.now(), None if seconds is None else time.monotonic() + seconds
    total = 0
    for rule in RULES:
        if (before := limit(rule, now)) is None:
            continue
        for rows in prune(rule, before):
            total += rows
            step(rule, rows)
            if until is not None and time.monotonic() > until:
                logger.info("%s old rows are gone; the next run goes on at %s", total, rule)
                return total
    return total


def limit(rule: PruneRule, now: datetime) -> datetime | None:
    """Return the moment before which the rule's rows are old; None if they are kept for ever."""
    days = settings.RETENTION[rule.name]
    return None if days is None else now - timedelta(days=days)
