"""Questions of the protocol, and verification questions, whose answers are known."""

from django.db import models
from django.db.models import Q

from annotation.models import Image, Project
from annotation.state_columns import choices, known
from pipeline.protocol.tasks.task import QuestionState, Task
from runtime import clock


class Question(models.Model):
    """One task, one subject and one round. A question is asked until its rule has decided.

    Only `record.question_state` writes its state and its lease.
    """

    # No index of its own, neither here nor on `assignment`: PostgreSQL took it instead of the partial ones below while
    # its statistics were old. For the same reason no index below has a row of a free question but `question_to_ask`,
    # and `question_to_give_up`, which few questions enter.
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="questions", db_index=False)
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="questions")
    task = models.CharField(max_length=20, choices=choices(Task))
    number = models.PositiveIntegerField(help_text="Order of asking within the image; a new round is a new number.")
    subject = models.JSONField(
        help_text="Numbers: two mentions, a chain, a chain and its new box, or the survey's question."
    )
    chain = models.PositiveIntegerField(
        null=True, help_text="Name of the chain; empty for a coreference link and a survey."
    )
    state = models.CharField(max_length=8, choices=choices(QuestionState), default=QuestionState.OPEN.value)
    outcome = models.CharField(max_length=40, blank=True, help_text="The answer or event that closed it.")
    assignment = models.ForeignKey(
        "Assignment",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="held",
        db_index=False,
        help_text="The assignment it is lent to.",
    )
    # Ids in JSON, not a table: a handful of workers, read and written whole with the question. A table would cost a
    # join in every lease, and rows to insert and delete in every fold. The price: no foreign key guards these ids.
    barred = models.JSONField(default=list, help_text="Ids of the workers who may not answer it.")
    barred_count = models.PositiveIntegerField(default=0)
    skipped = models.JSONField(default=list, help_text="Ids of the workers who skipped it and are not asked again.")
    skipped_count = models.PositiveIntegerField(default=0)
    shown = models.JSONField(default=dict, help_text="What a worker is shown; see rules/progress/question_view.py.")
    for_people = models.BooleanField(default=True, help_text="Off if there are no pixels to show.")
    value = models.FloatField(
        db_default=0.0,
        default=0.0,
        help_text="Bits that the answer is expected to tell, of links asked adaptively; large values are asked first.",
    )
    predicted = models.FloatField(
        null=True,
        blank=True,
        help_text="Of an audit, which checks the link policy: the chance predicted for the answer “same”.",
    )
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
                fields=["project", "task", "-value", "id"],
                name="question_to_ask",
                condition=Q(state=QuestionState.OPEN.value, assignment=None),
            ),
            models.Index(
                fields=["project", "id"], name="question_answered", condition=Q(state=QuestionState.ANSWERED.value)
            ),
            models.Index(
                fields=["project", "task", "id"], name="question_closed", condition=Q(state=QuestionState.CLOSED.value)
            ),
            models.Index(
                fields=["project"],
                name="question_asked_at_random",
                condition=Q(state=QuestionState.CLOSED.value, predicted__isnull=False),
            ),
            models.Index(fields=["assignment"], name="question_lent", condition=Q(assignment__isnull=False)),
            models.Index(
                fields=["project", "task"],
                name="question_to_give_up",
                condition=Q(
                    Q(barred_count__gte=2) | Q(skipped_count__gte=2), state=QuestionState.OPEN.value, assignment=None
                ),
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} {self.number}"


class KnownQuestion(models.Model):
    """A verification question: its answer is known. Workers cannot tell it from other questions."""

    class Source(models.TextChoices):
        GOLD = "gold"
        EXPERT = "expert"
        AGREED = "agreed", "agreed on by trusted workers"

    class Purpose(models.TextChoices):
        VERIFICATION = "verification", "asked among the others"
        TEST = "test", "asked in the qualification test"
        EXAMPLE = "example", "shown with its answer before the test"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="known_questions")
    task = models.CharField(max_length=20, choices=choices(Task))
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="known_questions")
    shown = models.JSONField(help_text="What a worker is shown, as for any question.")
    truth = models.JSONField(help_text="The right answer; for box drawing, the known boxes that are not shown.")
    key = models.CharField(max_length=64, editable=False, help_text="Digest of what is shown; unique.")
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.VERIFICATION)
    explanation = models.CharField(
        max_length=500, blank=True, help_text="Why this answer is right; shown with examples."
    )
    # Ids in JSON, not a table: written once, when the question is added, and read whole with the stock.
    not_for = models.JSONField(default=list, help_text="Ids of workers who answered it as a real question.")
    source = models.CharField(max_length=6, choices=Source.choices)
    added_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Not asked since; its answers still count.")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=["project", "task", "key"], name="known_question_once"),
            models.CheckConstraint(condition=known("task", Task), name="known_question_task_known"),
            models.CheckConstraint(
                condition=Q(purpose__in=["verification", "test", "example"]), name="known_question_purpose_known"
            ),
        )
        indexes = (models.Index(fields=["project", "task", "id"], name="stock", condition=Q(retired_at=None)),)

    def __str__(self) -> str:
        return f"known {self.task} {self.pk}"
