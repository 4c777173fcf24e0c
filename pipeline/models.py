"""WHAT IS ASKED NEXT: questions, who answers them, and the record that everything else is derived from."""

import uuid

from django.db import models
from django.db.models import Q

from annotation.models import Image, Project, choices, known
from pipeline.rules.task import QuestionState, Task
from workers.models import Worker


class SettingsVersion(models.Model):
    """One version of a project's protocol settings. Never edited: a change is a new version."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="settings_versions")
    version = models.PositiveIntegerField()
    values = models.JSONField()
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("project", "-version")
        constraints = (models.UniqueConstraint(fields=["project", "version"], name="settings_version_once"),)

    def __str__(self) -> str:
        return f"version {self.version}"


class Progress(models.Model):
    """How far one image is: the fold of its record, kept so that it need not be folded again."""

    class Due(models.TextChoices):
        NOTHING = "", "nothing"
        LINKS = "links", "link scheduling"
        MERGE = "merge", "merging"

    image = models.OneToOneField(Image, primary_key=True, on_delete=models.CASCADE, related_name="progress")
    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    sequence = models.PositiveIntegerField(help_text="The last entry folded in.")
    state = models.JSONField()
    due = models.CharField(max_length=5, choices=Due.choices, blank=True)

    class Meta:
        verbose_name_plural = "progress"
        indexes = (models.Index(fields=["project", "due", "image"], name="progress_due"),)

    def __str__(self) -> str:
        return f"{self.image}, {self.sequence} entries"


class Question(models.Model):
    """One task, one subject and one round. It is asked again and again until its rule has decided."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="questions")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="questions")
    task = models.CharField(max_length=20, choices=choices(Task))
    number = models.PositiveIntegerField(help_text="Order of asking within the image; a new round is a new number.")
    subject = models.JSONField(help_text="Numbers: the two mentions; the chain; the chain and its new box.")
    chain = models.PositiveIntegerField(null=True, help_text="Name of the chain, for all but coreference links.")
    state = models.CharField(max_length=8, choices=choices(QuestionState), default=QuestionState.OPEN.value)
    outcome = models.CharField(max_length=40, blank=True, help_text="How it was closed.")
    assignment = models.ForeignKey(
        "Assignment", null=True, blank=True, on_delete=models.SET_NULL, related_name="held", help_text="Live lease."
    )
    barred = models.JSONField(default=list, help_text="Ids of the workers who may not answer it.")
    barred_count = models.PositiveIntegerField(default=0)
    skipped = models.JSONField(default=list, help_text="Ids of the workers who skipped it: they aren't asked again.")
    skipped_count = models.PositiveIntegerField(default=0)
    shown = models.JSONField(default=dict, help_text="What a worker is shown of it; see pipeline.rules.shown.")
    for_people = models.BooleanField(default=True, help_text="Off: there are no pixels to show.")
    opened_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=["image", "number"], name="question_once"),
            models.CheckConstraint(condition=known("task", Task), name="question_task_known"),
            models.CheckConstraint(condition=known("state", QuestionState), name="question_state_known"),
            models.CheckConstraint(
                condition=Q(state=QuestionState.CLOSED.value) ^ Q(outcome=""), name="question_closed_has_an_outcome"
            ),
            models.CheckConstraint(
                condition=Q(assignment=None) | Q(state=QuestionState.OPEN.value), name="question_leased_only_when_open"
            ),
        )
        indexes = (
            models.Index(
                fields=["project", "task", "id"],
                name="question_to_lease",
                condition=Q(state=QuestionState.OPEN.value, assignment=None),
            ),
            models.Index(
                fields=["project", "id"], name="question_answered", condition=Q(state=QuestionState.ANSWERED.value)
            ),
            models.Index(fields=["project", "state", "task"], name="question_counts"),
        )

    def __str__(self) -> str:
        return f"{self.task} {self.number}"


class Assignment(models.Model):
    """A batch of questions of one task, leased to one worker for a limited time."""

    class State(models.TextChoices):
        ACTIVE = "active"
        SUBMITTED = "submitted"
        RETURNED = "returned"
        EXPIRED = "expired"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    task = models.CharField(max_length=20, choices=choices(Task))
    state = models.CharField(max_length=9, choices=State.choices, default=State.ACTIVE)
    token = models.UUIDField(default=uuid.uuid4, unique=True, help_text="How the worker's page names it.")
    questions = models.JSONField(help_text="Ids of its questions, in the order shown.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reward_cents = models.PositiveIntegerField(default=0, help_text="For all of its questions.")
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
        )
        indexes = (
            models.Index(fields=["state", "expires_at"], name="assignment_to_expire"),
            models.Index(fields=["worker", "project", "state"]),
        )

    def __str__(self) -> str:
        return f"{self.task} for {self.worker}"


class Judgment(models.Model):
    """One worker's answer to one question. Append-only: never edited, never deleted."""

    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="judgments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="judgments")
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    answer = models.JSONField()
    comment = models.CharField(max_length=1000, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="Time the worker took, as the page measured it.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["question", "worker"], name="judgment_once_per_worker"),)

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


class KnownQuestion(models.Model):
    """A verification question: one whose answer is known. Workers cannot tell it from the others."""

    class Source(models.TextChoices):
        GOLD = "gold"
        EXPERT = "expert"
        AGREED = "agreed", "agreed on by trusted workers"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="known_questions")
    task = models.CharField(max_length=20, choices=choices(Task))
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="known_questions")
    shown = models.JSONField(help_text="What a worker is shown of it, as of any question.")
    truth = models.JSONField(help_text="The right answer; for box drawing the known boxes that are not shown yet.")
    key = models.CharField(max_length=64, editable=False, help_text="Digest of what is shown: nothing is there twice.")
    source = models.CharField(max_length=6, choices=Source.choices)
    added_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Asked no more; its answers count as before.")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=["project", "task", "key"], name="known_question_once"),
            models.CheckConstraint(condition=known("task", Task), name="known_question_task_known"),
        )
        indexes = (models.Index(fields=["project", "task", "id"], name="stock", condition=Q(retired_at=None)),)

    def __str__(self) -> str:
        return f"known {self.task} {self.pk}"


class Entry(models.Model):
    """One line of the record. The entries of an image are strictly ordered; state is their fold."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="entries")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="entries")
    sequence = models.PositiveIntegerField(help_text="Order within the image, from 0.")
    kind = models.CharField(max_length=12)
    settings_version = models.PositiveIntegerField()
    judgment = models.OneToOneField(Judgment, null=True, on_delete=models.PROTECT, related_name="entry")
    data = models.JSONField(default=dict)
    actor = models.CharField(max_length=150, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "record"
        ordering = ("image", "sequence")
        constraints = (
            # Two writers that folded the same image at once would both add the same number: one of them fails.
            models.UniqueConstraint(fields=["image", "sequence"], name="entry_order"),
            models.CheckConstraint(
                condition=Q(kind="judgment") ^ Q(judgment__isnull=True), name="entry_judgment_is_a_judgment"
            ),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.kind}"


class Transition(models.Model):
    """One move of one machine: what moved, from where to where, why, and by which entry. Append-only."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT)
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="transitions")
    machine = models.CharField(max_length=8)
    subject = models.CharField(max_length=40, help_text="Name of the chain, or number of the question or box.")
    old = models.CharField(max_length=12, blank=True)
    new = models.CharField(max_length=12)
    reason = models.CharField(max_length=200)
    sequence = models.PositiveIntegerField(help_text="Number of the entry that caused it.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=["image", "machine", "subject"]),)

    def __str__(self) -> str:
        return f"{self.machine} {self.subject}: {self.old} → {self.new}"
