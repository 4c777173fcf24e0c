"""The tables of members, with their roles in projects, and of the tokens by which their programs act for them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from upkeep import clock


class Role(models.TextChoices):
    """A member's role in a project. Administrators are superusers and need none."""

    REQUESTER = "requester"
    REVIEWER = "reviewer"
    VIEWER = "viewer"


class Membership(models.Model):
    """A user's role in one project. Workers need none: `workers.Access` says what they may answer."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=9, choices=Role.choices)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("project", "user")
        constraints = (
            models.UniqueConstraint(fields=["user", "project"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"


class Scope(models.TextChoices):
    """A kind of calls that a token allows. A token never allows more than its user may do."""

    READ = "read", "Progress, settings and lists of projects"
    WRITE = "write", "Make, fill, start and pause projects; change settings; answer workers"
    JUDGMENTS = "judgments", "Judgments, by workers under pseudonyms"
    LEDGER = "ledger", "The ledger"
    EXPORT = "export", "Exports of finished images"


class RequesterToken(models.Model):
    """A token by which a program acts for a user. Only its digest is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="requester_tokens")
    name = models.CharField(max_length=100, help_text="Where the token is used.")
    project = models.ForeignKey(
        "annotation.Project",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The only project that it opens; empty: every project of the user.",
    )
    scopes = models.JSONField(help_text="Kinds of calls that it allows.")
    prefix = models.CharField(max_length=8, unique=True)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_on = models.DateField(null=True, blank=True, help_text="The last day on which it was used.")

    class Meta:
        ordering = ("user", "id")

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
