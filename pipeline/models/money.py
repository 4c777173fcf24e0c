"""The ledger of payments, bonuses and refusals, and what a project is committed to pay."""

from django.db import models
from django.db.models import Q

from annotation.models import Project
from pipeline.models.work import Assignment
from workers.models import Worker


class LedgerEntry(models.Model):
    """One payment, bonus or refusal, with its reason. Append-only; earnings for work are in the assignments."""

    class Kind(models.TextChoices):
        PAID = "paid"
        BONUS = "bonus"
        REFUSED = "refused"
        RESTORED = "restored", "refusal taken back"

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="ledger")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="ledger")
    assignment = models.ForeignKey(Assignment, null=True, blank=True, on_delete=models.PROTECT, related_name="ledger")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    cents = models.PositiveIntegerField(help_text="In hundredths of the project's currency.")
    reason = models.CharField(max_length=1000)
    reference = models.CharField(max_length=100, blank=True, help_text="Name of the payment where it was made.")
    actor = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "ledger"
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["paid", "bonus", "refused", "restored"]), name="ledger_kind_known"
            ),
            models.UniqueConstraint(
                fields=["project", "kind", "reference"], condition=~Q(reference=""), name="ledger_reference_once"
            ),
        )
        indexes = (models.Index(fields=["project", "worker"], name="ledger_of_worker"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.cents} to {self.worker}"


class Spending(models.Model):
    """The sums that a project is committed to pay and to ask so far, kept only where there is a cap."""

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="spending")
    committed_cents = models.BigIntegerField(default=0)
    committed_answers = models.BigIntegerField(
        default=0, db_default=0, help_text="Answers that people gave or are being asked for, but for tests."
    )
    counted_at = models.DateTimeField(null=True, help_text="The time at which the tables were added up.")

    class Meta:
        verbose_name_plural = "spending"

    def __str__(self) -> str:
        return f"project {self.project_id}: {self.committed_cents}"
