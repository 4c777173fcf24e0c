"""Assignments to workers, their judgments, and the questions they skipped."""

import uuid

from django.db import models
from django.db.models import Q

from annotation.models import Project
from annotation.state_columns import choices
from pipeline.models.questions import KnownQuestion, Question
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

COMMENT_LENGTH = 1000
"""The longest comment on a question, in characters."""


class Assignment(models.Model):
    """A batch of questions of one task, leased to one worker for a limited time."""

    class State(models.TextChoices):
        ACTIVE = "active"
        """A worker has the questions, and the time has not run out."""
        SUBMITTED = "submitted"
        """The worker has handed in the answers."""
        RETURNED = "returned"
        """The worker gave the questions back without answers."""
        EXPIRED = "expired"
        """The time ran out before the worker submitted answers."""

    class Kind(models.TextChoices):
        WORK = "work"
        TEST = "test", "qualification test"

    class Acceptance(models.TextChoices):
        NONE = "", "counts at once"
        WAITING = "waiting", "waits for its batch"
        ACCEPTED = "accepted"
        REFUSED = "refused", "not used"

    # No index of its own: PostgreSQL took it instead of those below while its statistics were old.
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments", db_index=False)
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    session = models.ForeignKey(
        "platforms.Session",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="assignments",
        help_text="The session on a platform; empty: in house.",
    )
    task = models.CharField(max_length=20, choices=choices(Task))
    state = models.CharField(max_length=9, choices=State.choices, default=State.ACTIVE)
    token = models.UUIDField(default=uuid.uuid4, unique=True, help_text="Names the assignment on the worker's page.")
    kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.WORK)
    # Ids in JSON, not a table: written once, with the assignment, and always read whole. A table would cost another
    # statement in every lease, whose time could tell how many verification questions there are. The price: no foreign
    # key guards these ids; the judgments have one.
    questions = models.JSONField(help_text="Ids of its real questions, in the order in which they are shown.")
    known = models.JSONField(default=dict, help_text="Ids of its verification questions, by place from 0.")
    spare = models.JSONField(
        default=list,
        db_default=models.Value([], models.JSONField()),
        help_text="Ids of the real questions behind its verification questions, in the order of their places.",
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reward_cents = models.PositiveIntegerField(default=0, help_text="Payment for all of its questions, in cents.")
    earned_cents = models.PositiveIntegerField(default=0, help_text="Payment for the answered questions, in cents.")
    acceptance = models.CharField(max_length=8, choices=Acceptance.choices, default=Acceptance.NONE, blank=True)
    acceptance_reason = models.CharField(max_length=300, blank=True)
    draft = models.JSONField(null=True, blank=True, help_text="What the worker's page last saved.")
    receipt = models.JSONField(null=True, blank=True, help_text="The reply to its submission.")
    ahead = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Leased while the worker still answers the assignment before it, and not begun yet.",
    )
    taken_back = models.BooleanField(
        null=True,
        default=False,
        help_text="Whether the worker is taken not to have seen it; empty: it ended before that was noted.",
    )
    left_next = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Id of the assignment after it that ended without answers as well."
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            # A worker who asks twice at the same moment gets one assignment, since the second insert fails.
            models.UniqueConstraint(
                fields=["worker", "project", "task", "ahead"],
                condition=Q(state="active"),
                name="assignment_one_and_next",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "submitted", "returned", "expired"]), name="assignment_state_known"
            ),
            models.CheckConstraint(condition=Q(state="active") ^ Q(ended_at__isnull=False), name="assignment_ended"),
            models.CheckConstraint(
                condition=Q(acceptance__in=["", "waiting", "accepted", "refused"]), name="assignment_acceptance_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=["work", "test"]), name="assignment_kind_known"),
        )
        indexes = (
            models.Index(fields=["expires_at"], name="assignment_to_expire", condition=Q(state="active")),
            models.Index(fields=["worker", "project", "state"]),
            models.Index(
                fields=["project", "task", "worker"], name="assignment_waits", condition=Q(acceptance="waiting")
            ),
            # Without active rows, so that no lease takes it: tells whether a project has new answers. The condition
            # names the time, so only queries about the time can use it: while statistics were old, PostgreSQL took it
            # for a worker's account, and read all submitted assignments.
            models.Index(
                fields=["ended_at", "project"],
                name="assignment_done",
                condition=Q(state="submitted", ended_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} for {self.worker}"

    @property
    def size(self) -> int:
        """The number of its questions, of both kinds."""
        return len(self.questions) + len(self.known)


class Judgment(models.Model):
    """One worker's answer to a real question or to a verification question. Append-only.

    Answers to both kinds are stored in one table by one statement, so that the time it takes tells nothing.
    """

    question = models.ForeignKey(Question, null=True, on_delete=models.PROTECT, related_name="judgments")
    known = models.ForeignKey(KnownQuestion, null=True, on_delete=models.PROTECT, related_name="judgments")
    right = models.BooleanField(null=True, help_text="Whether the answer to a verification question is right.")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="judgments")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    answer = models.JSONField()
    comment = models.CharField(max_length=COMMENT_LENGTH, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="Seconds the worker took, as the page measured.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=["created_at"], name="judgment_commented", condition=~Q(comment="")),)
        constraints = (
            models.UniqueConstraint(fields=["question", "worker"], name="judgment_once_per_worker"),
            models.UniqueConstraint(
                fields=["worker", "known"], condition=Q(known__isnull=False), name="judgment_known_once_per_worker"
            ),
            models.CheckConstraint(
                condition=Q(question__isnull=False, known=None, right=None)
                | Q(question=None, known__isnull=False, right__isnull=False),
                name="judgment_of_one_kind",
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.answer}"


OF_SWEEPS = Q(question__task=Task.COREFERENCE_LINK.value, question__subject__2__isnull=False) | Q(
    known__task=Task.COREFERENCE_LINK.value, known__shown__mentions__2__isnull=False
)
"""Judgments of link questions about more than two mentions."""


class Skip(models.Model):
    """A question that a worker skipped, and the reason. It changes no state; the question goes to others."""

    class Reason(models.TextChoices):
        PICTURE = "picture", "the picture does not load or shows nothing"
        UNCLEAR = "unclear", "the words or the picture are unclear"
        UNCOMFORTABLE = "uncomfortable", "I would rather not look at this"
        OTHER = "other", "another reason"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="skips")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="skips")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=13, choices=Reason.choices)
    comment = models.CharField(max_length=COMMENT_LENGTH, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=["question", "worker"], name="skip_once_per_worker"),
            models.CheckConstraint(
                condition=Q(reason__in=["picture", "unclear", "uncomfortable", "other"]), name="skip_reason_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.reason}"
