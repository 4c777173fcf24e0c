"""Alerts: what needs a person, where it is sent, and each try to send it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Project
from labelling.models import OutgoingMail
from runtime import clock


class AlertChannel(models.Model):
    """A place to which a project's alerts are sent: a member's mailbox, or an address that takes JSON."""

    class Kind(models.TextChoices):
        MAIL = "mail", "e-mail"
        HOOK = "hook", "webhook"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="alert_channels")
    kind = models.CharField(max_length=4, choices=Kind.choices)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The member who gets the mail; empty for a webhook.",
    )
    url = models.CharField(max_length=500, blank=True, help_text="The address of the webhook.")
    secret = models.CharField(max_length=64, blank=True, help_text="The key that signs what the webhook gets.")
    # A list and no table: names of a fixed enum, read and written whole. The cost: the database does not check them.
    kinds = models.JSONField(default=list, help_text="The kinds of alerts that are sent.")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("project", "id")
        constraints = (
            models.UniqueConstraint(fields=["project", "user"], condition=Q(kind="mail"), name="alert_mail_once"),
            models.CheckConstraint(
                condition=Q(kind="mail", user__isnull=False, url="", secret="")
                | (Q(kind="hook", user=None) & ~Q(url="") & ~Q(secret="")),
                name="alert_channel_has_an_address",
            ),
        )

    def __str__(self) -> str:
        return self.url if self.kind == self.Kind.HOOK else f"mail to {self.user}"


class Alert(models.Model):
    """A spell during which something needed a person: it is told once, when it begins."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="alerts", db_index=False)
    kind = models.CharField(max_length=12)
    count = models.PositiveIntegerField(help_text="How many there were when it began.")
    words = models.CharField(max_length=300)
    path = models.CharField(max_length=300, help_text="The page where it is settled.")
    began_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            # Two looks at once begin one alert.
            models.UniqueConstraint(fields=["project", "kind"], condition=Q(settled_at=None), name="alert_begun_once"),
        )
        indexes = (models.Index(fields=["project", "-id"], name="alert_of_project"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


class Delivery(models.Model):
    """An alert on its way to one channel, or there. Each try is noted before it is made."""

    class State(models.TextChoices):
        DUE = "due", "to be sent"
        SENT = "sent"
        FAILED = "failed", "given up"

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.ForeignKey(AlertChannel, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=6, choices=State.choices, default=State.DUE)
    due_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True, help_text="Why the last try failed.")
    mail = models.OneToOneField(
        OutgoingMail, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="That carries it."
    )

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "deliveries"
        constraints = (
            models.UniqueConstraint(fields=["alert", "channel"], name="delivery_once"),
            models.CheckConstraint(condition=Q(state__in=["due", "sent", "failed"]), name="delivery_state_known"),
        )
        indexes = (models.Index(fields=["due_at"], condition=Q(state="due"), name="delivery_due"),)

    @property
    def carrier(self) -> "Delivery | OutgoingMail":
        """The mail, from when it is written, or else the delivery itself: the row with the state and the tries."""
        return self.mail or self

    def __str__(self) -> str:
        return f"{self.alert} to {self.channel}"
