"""Tables of workers' pages: sign-ins, conversations with requesters, and the mail to people.

Sign-ins have no admin page: a row names a session's key.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from runtime import clock

LENGTH = 2000
"""The longest text, in characters."""


class SignIn(models.Model):
    """One sign-in that opened a labelling page. It counts while its Django session and its password do."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, unique=True, help_text="The key of the Django session.")
    password_end = models.CharField(max_length=12, help_text="The end of the hash of the password at that time.")

    def __str__(self) -> str:
        return f"sign-in {self.pk}"


class Conversation(models.Model):
    """A worker's question to the requester about one thing, with the answers."""

    class Subject(models.TextChoices):
        RECEIPT = "receipt", "an assignment"
        REFUSAL = "refusal", "refused pay"
        TEST = "test", "a qualification test"
        STANDING = "standing", "the status in a task"
        OTHER = "other", "something else"

    worker = models.ForeignKey("workers.Worker", on_delete=models.CASCADE, related_name="conversations")
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="conversations")
    assignment = models.ForeignKey(
        "pipeline.Assignment", null=True, blank=True, on_delete=models.SET_NULL, related_name="conversations"
    )
    subject = models.CharField(max_length=8, choices=Subject.choices)
    task = models.CharField(max_length=20, blank=True, help_text="Empty: it is about no single task.")
    created_at = models.DateTimeField(default=clock.now, editable=False)
    waits_since = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the worker wrote; empty: the requester has answered."
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(subject__in=["receipt", "refusal", "test", "standing", "other"]),
                name="conversation_subject_known",
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.get_subject_display()}"


class OutgoingMail(models.Model):
    """A mail to a person, on its way or sent. Each try is noted before it is made (labelling/messages.py)."""

    class State(models.TextChoices):
        DUE = "due", "to be sent"
        SENT = "sent"
        FAILED = "failed", "given up"

    SUBJECT_LENGTH = 200
    PROBLEM_LENGTH = 500

    to = models.CharField(max_length=254, help_text="The address; an account's own when the mail goes out.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The account that the mail is for; empty: an address alone.",
    )
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    text = models.TextField(blank=True, help_text="Emptied once it is sent: it may hold a link that opens an account.")
    state = models.CharField(max_length=6, choices=State.choices, default=State.DUE)
    made_at = models.DateTimeField(default=clock.now, editable=False)
    due_at = models.DateTimeField(default=clock.now, help_text="The time of the next try.")
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=PROBLEM_LENGTH, blank=True, help_text="Why the last try failed.")

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "outgoing mail"
        constraints = (
            models.CheckConstraint(condition=Q(state__in=["due", "sent", "failed"]), name="mail_state_known"),
        )
        indexes = (models.Index(fields=["due_at"], condition=Q(state="due"), name="mail_due"),)

    def __str__(self) -> str:
        return f"{self.subject} ({self.get_state_display()})"


class Post(models.Model):
    """One text of a conversation. Never edited."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="posts")
    actor = models.CharField(max_length=150, blank=True, help_text="Who answered; empty: the worker wrote it.")
    text = models.CharField(max_length=LENGTH)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the worker read the answer.")
    mail = models.OneToOneField(
        OutgoingMail, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", help_text="To the worker."
    )

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.text[:60]
