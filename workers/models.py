"""Tables of who answers: people, and how far they are trusted."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from runtime import clock
from runtime.words import percent
from workers.rules.trust_states import TrustState
from workers.task_words import text_in_language


class Worker(models.Model):
    """A person or a program that answers questions."""

    class Kind(models.TextChoices):
        PERSON = "person"
        PROGRAM = "program"
        VIRTUAL = "virtual"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=7, choices=Kind.choices, default=Kind.PERSON)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    closed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the worker's person was forgotten; nobody works as them."
    )
    # A JSON object and no columns: it is only ever read whole, by `workers.preferences`, which checks the values. The
    # cost: the database does not.
    preferences = models.JSONField(default=dict, db_default={}, blank=True, editable=False)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=["person", "program", "virtual"]), name="worker_kind_known"),
        )

    def __str__(self) -> str:
        return self.name


class Access(models.Model):
    """A worker's right to answer questions of one task in one project."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="accesses")
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="accesses")
    task = models.CharField(max_length=20)
    granted_at = models.DateTimeField(default=clock.now, editable=False)
    asked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a model annotator last asked for questions."
    )

    class Meta:
        verbose_name_plural = "accesses"
        constraints = (models.UniqueConstraint(fields=["project", "task", "worker"], name="access_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}"


def new_code() -> str:
    """Return a code for a link that nobody can guess: 192 random bits."""
    return secrets.token_urlsafe(24)


class Invitation(models.Model):
    """A link by which people join a project, each with an account of their own."""

    code = models.CharField(max_length=40, unique=True, default=new_code, editable=False)
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="invitations")
    # A list and no table: it holds at most six names of a fixed enum, and is only ever read whole. The cost: the
    # database does not check the names.
    tasks = models.JSONField(
        default=list, blank=True, help_text="Tasks that people who join may work on; empty: all six."
    )
    note = models.CharField(max_length=200, blank=True, help_text="Whom it is for; only requesters see this.")
    trusted = models.BooleanField(
        default=False, help_text="People who join are trusted at once, without a test and without probation."
    )
    most = models.PositiveIntegerField(null=True, blank=True, help_text="How many people may join; empty: no limit.")
    joined = models.PositiveIntegerField(default=0, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

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
    """A key by which a program signs in. Only its digest is stored: the key itself is shown once, when it is made."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="api_keys")
    prefix = models.CharField(max_length=8, unique=True, help_text="The key's first characters, to tell keys apart.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the whole key, in hexadecimal.")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.prefix}…"


class Message(models.Model):
    """A message from the requester to a worker, shown on the worker's home page."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    project = models.ForeignKey(
        "annotation.Project",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="messages",
        help_text="The project that the message is about; empty: none in particular.",
    )
    text = models.CharField(max_length=2000)
    coded = models.JSONField(
        null=True,
        editable=False,
        help_text="The service's own message, for `workers.task_words`; empty: a person's.",
    )
    created_at = models.DateTimeField(default=clock.now, editable=False)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def words(self) -> str:
        """The text; of the service's own messages in the reader's language."""
        return text_in_language(self.coded) or self.text


class TrustStatus(models.Model):
    """A worker's trust on one task. A worker with access and without a row is trusted by hand.

    `workers.change_trust` is the only writer of trust.
    """

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="trust_statuses")
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="trust_statuses")
    task = models.CharField(max_length=20)
    state = models.CharField(max_length=9, choices=[(state.value, state.value) for state in TrustState])
    passed_test = models.BooleanField(default=False)
    tests_failed = models.PositiveIntegerField(default=0)
    test_from = models.DateTimeField(null=True, blank=True)
    had_second_probation = models.BooleanField(default=False)
    probation_since = models.DateTimeField(null=True, blank=True)
    trusted_since = models.DateTimeField(null=True, blank=True)
    score_since = models.DateTimeField(null=True, blank=True)
    resumes = models.CharField(max_length=9, blank=True, choices=[(state.value, state.value) for state in TrustState])
    suspended_until = models.DateTimeField(null=True, blank=True)
    appealed = models.BooleanField(default=False)
    # Lists and no tables: a lease reads and writes both with the row itself, in statements that it needs anyway, and so
    # in the same time whatever the worker is shown. The cost: no foreign keys, and `seen` grows by each verification
    # question, at most to the size of the stock.
    seen = models.JSONField(default=list, help_text="Ids of the verification questions that the worker was shown.")
    images = models.JSONField(default=list, help_text="Ids of the last 100 images that the worker was shown.")
    asked = models.PositiveIntegerField(
        default=0, help_text="Questions since the present share of verification questions applies ..."
    )
    verified = models.PositiveIntegerField(default=0, help_text="... and the verification questions among them.")
    rounds = models.PositiveIntegerField(default=0, help_text="How often that count started anew.")
    left_assignment = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Id of the last assignment, if it ended without answers."
    )
    reviewed_at = models.DateTimeField(null=True, blank=True, help_text="When the scores were last reviewed.")
    take_back = models.BooleanField(
        default=False, help_text="The worker lost trust, and their unresolved judgments are still to be voided."
    )

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "workers by task"
        constraints = (
            models.UniqueConstraint(fields=["worker", "project", "task"], name="trust_status_once"),
            models.CheckConstraint(
                condition=Q(state__in=[state.value for state in TrustState]), name="trust_status_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=TrustState.SUSPENDED.value) | Q(suspended_until__isnull=False),
                name="trust_status_suspended_for_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {self.state}"


class TrustChange(models.Model):
    """One change of a worker's trust: what happened, why, by whom, and the figures behind it. Never edited."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="trust_changes")
    project = models.ForeignKey("annotation.Project", on_delete=models.PROTECT, related_name="trust_changes")
    task = models.CharField(max_length=20)
    event = models.CharField(max_length=60)
    old = models.CharField(max_length=9, blank=True, help_text="Empty: the worker's trust on the task began.")
    new = models.CharField(max_length=9)
    reason = models.CharField(max_length=1000)
    figures = models.JSONField(default=dict)
    actor = models.CharField(max_length=150, blank=True, help_text="Empty: it followed from figures or time.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.worker}: {self.event}"


class WorkerSignal(models.Model):
    """A sign of bad work in a project, as last found. It bars nobody: the requester looks at it and decides."""

    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="signals")
    kind = models.CharField(max_length=30)
    task = models.CharField(max_length=20, blank=True, help_text="Empty: found in several tasks taken together.")
    # A list and no foreign keys: the search updates the signals that it finds again by a unique constraint, and in one
    # with a nullable second worker NULLs would count as different. The cost: deleting a worker leaves the row, until
    # the next search notes that it is gone.
    workers = models.JSONField(help_text="Ids of the worker or the two workers, in ascending order.")
    chance = models.FloatField(help_text="The largest share of honest workers who look like this by chance, 0 to 1.")
    words = models.CharField(max_length=1000)
    evidence = models.JSONField(
        help_text="judgments: the newest ids; count: all of them; tests: workers or pairs looked at."
    )
    found_at = models.DateTimeField(help_text="When it was first found.")
    gone_at = models.DateTimeField(null=True, blank=True, help_text="From when on it was no longer found.")
    dismissed_at = models.DateTimeField(null=True, blank=True)
    dismissed_by = models.CharField(max_length=150, blank=True)
    note = models.CharField(max_length=500, blank=True, help_text="Why it was dismissed.")

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=["project", "kind", "task", "workers"], name="worker_signal_once"),
            models.CheckConstraint(
                condition=Q(dismissed_at=None) ^ ~Q(dismissed_by=""), name="worker_signal_dismissed_by_somebody"
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind}, {self.task.replace('_', ' ')}" if self.task else self.kind

    @property
    def rarity(self) -> str:
        """The rarity of this among honest workers, in words."""
        what = "pairs" if len(self.workers) > 1 else "workers"
        return f"under 1 in {1 / max(self.chance, 1e-6):,.0f} honest {what}"


class SkillEstimate(models.Model):
    """The share of a worker's right answers on a task, estimated from all answers. It bars nobody."""

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="skills")
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="skills")
    task = models.CharField(max_length=20)
    accuracy = models.FloatField(help_text="Share of right answers, 0 to 1.")
    low = models.FloatField(help_text="Its 95 % interval, from here ...")
    high = models.FloatField(help_text="... to here. 0 to 1 if no answer could be checked.")
    answers = models.PositiveIntegerField(
        help_text="Checked answers: the truth is known, or another worker answered, too."
    )
    known_answers = models.PositiveIntegerField(help_text="The answers among them to verification questions.")
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ("project", "task", "worker")
        constraints = (models.UniqueConstraint(fields=["project", "task", "worker"], name="skill_estimate_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {percent(self.accuracy)}"
