"""The tables of members: roles, invitations, rights of accounts, tokens of their programs, and the event log."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from runtime import clock


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


class BorrowedPictures(models.Model):
    """Pictures of a survey that are another project's: who may not look at that project does not see them."""

    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="borrowed_pictures")
    source = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="lent_pictures")

    class Meta:
        verbose_name_plural = "borrowed pictures"
        constraints = (models.UniqueConstraint(fields=["project", "source"], name="borrowed_once"),)

    def __str__(self) -> str:
        return f"pictures of {self.source} in {self.project}"


class RightKind(models.TextChoices):
    """A right of an account that belongs to no project. Administrators have all of them."""

    PROJECTS = "projects", "make projects"
    FOLDERS = "folders", "import from folders and buckets of the server"
    ADMIN = "admin", "enter the admin pages"


class Right(models.Model):
    """A right that an administrator gave to an account. One that stands on a membership ends with it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="rights")
    kind = models.CharField(max_length=8, choices=RightKind.choices)
    membership = models.ForeignKey(
        Membership,
        null=True,
        on_delete=models.CASCADE,
        related_name="rights",
        help_text="It ends with this membership; empty: it stays until it is taken back.",
    )
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The administrator; empty if that account is gone.",
    )
    given_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("user", "kind")
        constraints = (
            models.UniqueConstraint(fields=["user", "kind", "membership"], name="right_once"),
            models.UniqueConstraint(fields=["user", "kind"], condition=Q(membership=None), name="right_once_by_itself"),
            models.CheckConstraint(condition=Q(kind__in=RightKind.values), name="right_known"),
        )

    def __str__(self) -> str:
        return f"{self.user}: {self.get_kind_display()}"


class MemberInvitation(models.Model):
    """An invitation to become a member. It names an account or an address, and never tells whether there is one."""

    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="member_invitations")
    to = models.CharField(max_length=254, help_text="The name of an account, or an e-mail address.")
    role = models.CharField(max_length=9, choices=Role.choices, default=Role.VIEWER)
    code = models.CharField(max_length=43, unique=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="It counts as long as this account manages the project.",
    )
    made_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("project", "id")
        constraints = (
            models.UniqueConstraint(fields=["project", "to"], name="member_invited_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_invitation_role_known"),
        )

    def __str__(self) -> str:
        return f"{self.to}: {self.role}"


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


class SecurityEvent(models.Model):
    """One line of the event log, or several equal ones of an hour. Written by accounts/events.py alone."""

    class Kind(models.TextChoices):
        SIGN_IN = "sign in", "sign in"
        SIGN_OUT = "sign out", "sign out"
        FAILED_SIGN_IN = "failed sign in", "failed sign in"
        REFUSAL = "refusal", "refusal"
        RIGHTS = "rights", "rights"
        KEYS = "keys", "keys"
        PASSWORD = "password", "password"
        RECOVERY = "recovery link", "recovery link"
        EXPORT = "export", "export"

    LENGTHS: ClassVar = {"kind": 14, "actor": 150, "address": 64, "what": 300, "result": 20}

    at = models.DateTimeField(help_text="When it happened; of several, the first.")
    last_at = models.DateTimeField(help_text="When the count was last written.")
    kind = models.CharField(max_length=LENGTHS["kind"], choices=Kind.choices)
    actor = models.CharField(
        max_length=LENGTHS["actor"], blank=True, help_text="The account or worker; empty: a visitor."
    )
    address = models.CharField(max_length=LENGTHS["address"], blank=True, help_text="The network address.")
    what = models.CharField(max_length=LENGTHS["what"])
    result = models.CharField(max_length=LENGTHS["result"])
    count = models.PositiveIntegerField(default=1, help_text="At least so many equal ones in an hour.")

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(
                    kind__in=(
                        *("sign in", "sign out", "failed sign in", "refusal", "rights", "keys", "password"),
                        *("recovery link", "export"),
                    )
                ),
                name="security_event_kind_known",
            ),
        )
        indexes = (models.Index(fields=["actor"], name="security_event_actor"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.what} ({self.result})"
