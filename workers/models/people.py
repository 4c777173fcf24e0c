"""Tables of workers: their accounts, what they may do where, and messages to them."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from runtime import clock
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
