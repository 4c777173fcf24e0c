"""WHO answers."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from workers.rules.trust_states import State


class Worker(models.Model):
    """Somebody, or some program, that answers questions."""

    class Kind(models.TextChoices):
        PERSON = "person"
        PROGRAM = "program"
        VIRTUAL = "virtual"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=7, choices=Kind.choices, default=Kind.PERSON)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=["person", "program", "virtual"]), name="worker_kind_known"),
        )

    def __str__(self) -> str:
        return self.name


class Access(models.Model):
    """A worker's right to be asked questions of one task in one project."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="accesses")
    project_id = models.BigIntegerField(db_index=True, help_text="By id: this part knows no other part's models.")
    task = models.CharField(max_length=20)
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "accesses"
        constraints = (models.UniqueConstraint(fields=["project_id", "task", "worker"], name="access_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}"


def new_code() -> str:
    """A code that nobody guesses: 192 random bits, for a link."""
    return secrets.token_urlsafe(24)


class Invitation(models.Model):
    """A link by which people join a project: whoever has it makes an account of their own."""

    code = models.CharField(max_length=40, unique=True, default=new_code, editable=False)
    project_id = models.BigIntegerField(db_index=True, help_text="By id: this part knows no other part's models.")
    tasks = models.JSONField(default=list, blank=True, help_text="Tasks it admits to; empty: all six.")
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is; nobody else sees this.")
    trusted = models.BooleanField(
        default=False, help_text="Who joins by it is trusted at once, without a test and without probation."
    )
    most = models.PositiveIntegerField(null=True, blank=True, help_text="How many may join by it; empty: any number.")
    joined = models.PositiveIntegerField(default=0, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(most=None) | Q(joined__lte=models.F("most")), name="invitation_not_overdrawn"
            ),
        )

    def __str__(self) -> str:
        return self.note or f"invitation {self.pk}"


class ApiKey(models.Model):
    """By this a program signs in. Only a digest is kept: the key itself is shown once, when it is made."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="api_keys")
    prefix = models.CharField(max_length=8, unique=True, help_text="The first characters, to tell keys apart.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the whole key, in hexadecimal.")
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Message(models.Model):
    """Something the requester says to a worker, shown on the worker's home."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    project_id = models.BigIntegerField(null=True, blank=True, help_text="Empty: it concerns no single project.")
    text = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.text[:60]


class Standing(models.Model):
    """Where a worker stands on one task. Without a row: trusted by hand, by having been given access."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="standings")
    project_id = models.BigIntegerField(help_text="By id: this part knows no other part's models.")
    task = models.CharField(max_length=20)
    state = models.CharField(max_length=9, choices=[(state.value, state.value) for state in State])
    passed_test = models.BooleanField(default=False)
    tests_failed = models.PositiveIntegerField(default=0)
    test_from = models.DateTimeField(null=True, blank=True)
    had_second_probation = models.BooleanField(default=False)
    probation_since = models.DateTimeField(null=True, blank=True)
    trusted_since = models.DateTimeField(null=True, blank=True)
    score_since = models.DateTimeField(null=True, blank=True)
    resumes = models.CharField(max_length=9, blank=True, choices=[(state.value, state.value) for state in State])
    suspended_until = models.DateTimeField(null=True, blank=True)
    appealed = models.BooleanField(default=False)
    seen = models.JSONField(default=list, help_text="Ids of the verification questions that the worker was shown.")
    images = models.JSONField(default=list, help_text="Ids of the images they were shown last.")
    asked = models.PositiveIntegerField(default=0, help_text="Questions since the present rate began ...")
    verified = models.PositiveIntegerField(default=0, help_text="... and the verification questions among them.")
    rounds = models.PositiveIntegerField(default=0, help_text="How often that counting began anew.")
    reviewed_at = models.DateTimeField(null=True, blank=True, help_text="When scores were last looked at.")
    take_back = models.BooleanField(default=False, help_text="Their unresolved judgments are still to be taken back.")

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "workers by task"
        constraints = (
            models.UniqueConstraint(fields=["worker", "project_id", "task"], name="standing_once"),
            models.CheckConstraint(condition=Q(state__in=[state.value for state in State]), name="standing_known"),
            models.CheckConstraint(
                condition=~Q(state=State.SUSPENDED.value) | Q(suspended_until__isnull=False),
                name="standing_suspended_for_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {self.state}"


class TrustChange(models.Model):
    """One change of a worker's standing: what happened, why, by whom, and the figures it rests on. Never edited."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="trust_changes")
    project_id = models.BigIntegerField(db_index=True, help_text="By id: this part knows no other part's models.")
    task = models.CharField(max_length=20)
    event = models.CharField(max_length=60)
    old = models.CharField(max_length=9)
    new = models.CharField(max_length=9)
    reason = models.CharField(max_length=1000)
    figures = models.JSONField(default=dict)
    actor = models.CharField(
        max_length=150, blank=True, help_text="Empty: it followed by itself, from figures or time."
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.worker}: {self.event}"


class WorkerSignal(models.Model):
    """A hint of bad work in a project, as it was found last. It bars nobody: the requester reads it and decides."""

    project_id = models.BigIntegerField(help_text="By id: this part knows no other part's models.")
    kind = models.CharField(max_length=30)
    task = models.CharField(max_length=20, blank=True, help_text="Empty: found in several tasks taken together.")
    workers = models.JSONField(help_text="Ids of the one, or the two, in ascending order.")
    chance = models.FloatField(help_text="At most this share of honest workers look so, 0 to 1.")
    words = models.CharField(max_length=1000)
    evidence = models.JSONField(help_text="judgments: ids, the newest; count: of them in all; tests: looked at.")
    found_at = models.DateTimeField(help_text="For the first time.")
    gone_at = models.DateTimeField(null=True, blank=True, help_text="Since then it is no longer found.")
    dismissed_at = models.DateTimeField(null=True, blank=True)
    dismissed_by = models.CharField(max_length=150, blank=True)
    note = models.CharField(max_length=500, blank=True, help_text="Why it was dismissed.")

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=["project_id", "kind", "task", "workers"], name="worker_signal_once"),
            models.CheckConstraint(
                condition=Q(dismissed_at=None) ^ ~Q(dismissed_by=""), name="worker_signal_dismissed_by_somebody"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind}, {self.task.replace('_', ' ')}" if self.task else self.kind

    @property
    def rarity(self) -> str:
        """The chance in words."""
        what = "pairs" if len(self.workers) > 1 else "workers"
        return f"under 1 in {1 / max(self.chance, 1e-6):,.0f} honest {what}"


class SkillEstimate(models.Model):
    """How often a worker is right on a task, estimated from all that was answered. It bars nobody."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="skills")
    project_id = models.BigIntegerField(help_text="By id: this part knows no other part's models.")
    task = models.CharField(max_length=20)
    accuracy = models.FloatField(help_text="Share of right answers, 0 to 1.")
    low = models.FloatField(help_text="The 95 % interval of it ...")
    high = models.FloatField(help_text="... 0 to 1 where no answer could be checked.")
    answers = models.PositiveIntegerField(help_text="Checked ones: the truth is known, or somebody else answered too.")
    known_answers = models.PositiveIntegerField(help_text="Those of them to verification questions.")
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ("project_id", "task", "worker")
        constraints = (models.UniqueConstraint(fields=["project_id", "task", "worker"], name="skill_estimate_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {self.accuracy:.0%}"


class LedgerEntry(models.Model):
    """Money that was moved, promised or refused, and why. Never edited; what is owed for work is in the assignments."""

    class Kind(models.TextChoices):
        PAID = "paid"
        BONUS = "bonus"
        REFUSED = "refused"
        RESTORED = "restored", "refusal taken back"

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="ledger")
    project_id = models.BigIntegerField(db_index=True, help_text="By id: this part knows no other part's models.")
    assignment_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    cents = models.PositiveIntegerField(help_text="In hundredths of the project's currency.")
    reason = models.CharField(max_length=1000)
    reference = models.CharField(max_length=100, blank=True, help_text="How whoever moved the money names it.")
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
                fields=["project_id", "kind", "reference"], condition=~Q(reference=""), name="ledger_reference_once"
            ),
        )
        indexes = (models.Index(fields=["project_id", "worker"], name="ledger_of_worker"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.cents} to {self.worker}"


class Spending(models.Model):
    """What a project has committed itself to pay so far; kept only where there is a cap."""

    project_id = models.BigIntegerField(primary_key=True, help_text="By id: this part knows no other part's models.")
    committed_cents = models.BigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "spending"

    def __str__(self) -> str:
        return f"project {self.project_id}: {self.committed_cents}"
