"""Tables of conversations: what a worker wrote about, and what both sides said."""

from django.db import models
from django.db.models import Q

from upkeep import clock

LENGTH = 2000
"""The longest text, in characters."""


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


class Post(models.Model):
    """One text of a conversation. Never edited."""

    class Mail(models.TextChoices):
        NONE = "", "none"
        DUE = "due"
        SENT = "sent"
        FAILED = "failed"

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="posts")
    actor = models.CharField(max_length=150, blank=True, help_text="Who answered; empty: the worker wrote it.")
    text = models.CharField(max_length=LENGTH)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the worker read the answer.")
    mail = models.CharField(max_length=6, blank=True, choices=Mail.choices, help_text="The mail to the worker.")
    mail_at = models.DateTimeField(null=True, blank=True, help_text="When the mail is due, or was sent.")
    mail_tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(condition=Q(mail__in=["", "due", "sent", "failed"]), name="post_mail_known"),
            models.CheckConstraint(condition=~Q(mail="due") | Q(mail_at__isnull=False), name="post_mail_due_at"),
        )
        indexes = (models.Index(fields=["mail_at"], condition=Q(mail="due"), name="post_mail_due"),)

    def __str__(self) -> str:
        return self.text[:60]
