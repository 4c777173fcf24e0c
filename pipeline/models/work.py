"""Who is asked and what they answer: assignments, judgments and skipped questions."""

import uuid

from django.db import models
from django.db.models import Q

from annotation.models import Project, choices
from pipeline.models.questions import KnownQuestion, Question
from pipeline.rules.tasks.task import Task
from workers.models import Worker


class Assignment(models.Model):
    """A batch of questions of one task, leased to one worker for a limited time."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUBMITTED = "submitted"
        RETURNED = "returned"
        EXPIRED = "expired"

    class Kind(models.TextChoices):
        WORK = "work"
        TEST = "test", "qualification test"

    class Verdict(models.TextChoices):
        NONE = "", "counts at once"
        WAITING = "waiting", "waits for its batch"
        ACCEPTED = "accepted"
        REFUSED = "refused", "not used"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    session = models.ForeignKey(
        "platforms.Session",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="assignments",
        help_text="On a platform.",
    )
    task = models.CharField(max_length=20, choices=choices(Task))
    state = models.CharField(max_length=9, choices=State.choices, default=State.ACTIVE)
    token = models.UUIDField(default=uuid.uuid4, unique=True, help_text="How the worker's page names it.")
    kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.WORK)
    questions = models.JSONField(help_text="Ids of its questions, in the order shown.")
    known = models.JSONField(default=dict, help_text="Its verification questions: place, from 0, to id.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reward_cents = models.PositiveIntegerField(default=0, help_text="For all of its questions.")
    earned_cents = models.PositiveIntegerField(default=0, help_text="For what was answered of it.")
    verdict = models.CharField(max_length=8, choices=Verdict.choices, default=Verdict.NONE, blank=True)
    verdict_reason = models.CharField(max_length=300, blank=True)
    draft = models.JSONField(null=True, blank=True, help_text="What the worker's page last saved.")
    receipt = models.JSONField(null=True, blank=True, help_text="What its submission was answered.")

    class Meta:
        ordering = ("-id",)
        constraints = (
            # A worker who asks twice at once gets one assignment: the second insert fails.
            models.UniqueConstraint(
                fields=["worker", "project", "task"], condition=Q(state="active"), name="assignment_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "submitted", "returned", "expired"]), name="assignment_state_known"
            ),
            models.CheckConstraint(condition=Q(state="active") ^ Q(ended_at__isnull=False), name="assignment_ended"),
            models.CheckConstraint(
                condition=Q(verdict__in=["", "waiting", "accepted", "refused"]), name="assignment_verdict_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=["work", "test"]), name="assignment_kind_known"),
        )
        indexes = (
            models.Index(fields=["state", "expires_at"], name="assignment_to_expire"),
            models.Index(fields=["worker", "project", "state"]),
            models.Index(fields=["project", "task", "worker"], name="assignment_waits", condition=Q(verdict="waiting")),
        )

    def __str__(self) -> str:
        return f"{self.task} for {self.worker}"

    @property
    def size(self) -> int:
        """Questions in it, of both kinds."""
        return len(self.questions) + len(self.known)


class Judgment(models.Model):
    """One worker's answer to one question, or to a verification question. Append-only: never edited, never deleted.

    Both kinds are stored in one table and one statement, so that storing them takes the same time.
    """

    question = models.ForeignKey(Question, null=True, on_delete=models.PROTECT, related_name="judgments")
    known = models.ForeignKey(KnownQuestion, null=True, on_delete=models.PROTECT, related_name="judgments")
    right = models.BooleanField(null=True, help_text="Of a verification question: whether the answer is the known one.")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="judgments")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    answer = models.JSONField()
    comment = models.CharField(max_length=1000, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="Time the worker took, as the page measured it.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
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


class Skip(models.Model):
    """A worker would not answer a question, and why. It acts on no state: the question goes to others."""

    class Reason(models.TextChoices):
        PICTURE = "picture", "the picture does not load or shows nothing"
        UNCLEAR = "unclear", "the words or the picture are unclear"
        UNCOMFORTABLE = "uncomfortable", "I would rather not look at this"
        OTHER = "other", "another reason"

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="skips")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="skips")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="skips")
    reason = models.CharField(max_length=13, choices=Reason.choices)
    comment = models.CharField(max_length=1000, blank=True)
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
