"""WHO answers, and what they may do where."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q


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
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="accesses")
    task = models.CharField(max_length=20)
    granted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "accesses"
        constraints = (models.UniqueConstraint(fields=["project", "task", "worker"], name="access_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}"


def new_code() -> str:
    """A code that nobody guesses: 192 random bits, for a link."""
    return secrets.token_urlsafe(24)


class Invitation(models.Model):
    """A link by which people join a project: whoever has it makes an account of their own."""

    code = models.CharField(max_length=40, unique=True, default=new_code, editable=False)
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="invitations")
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
    project = models.ForeignKey(
        "annotation.Project",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="messages",
        help_text="Empty: the message concerns no single project.",
    )
    text = models.CharField(max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.text[:60]
