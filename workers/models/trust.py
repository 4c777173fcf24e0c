"""Where workers stand on a task, how they came to stand there, and what was found about them."""

from django.db import models
from django.db.models import Q

from workers.models.people import Worker
from workers.rules.trust_states import TrustState


class TrustStatus(models.Model):
    """Where a worker stands on one task. Without a row: trusted by hand, by having been given access."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="trust_statuses")
    project = models.ForeignKey("annotation.Project", on_delete=models.PROTECT, related_name="trust_statuses")
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
            models.UniqueConstraint(fields=["worker", "project", "task"], name="standing_once"),
            models.CheckConstraint(condition=Q(state__in=[state.value for state in TrustState]), name="standing_known"),
            models.CheckConstraint(
                condition=~Q(state=TrustState.SUSPENDED.value) | Q(suspended_until__isnull=False),
                name="standing_suspended_for_a_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {self.state}"


class TrustChange(models.Model):
    """One change of a worker's trust: what happened, why, by whom, and the figures it rests on. Never edited."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="trust_changes")
    project = models.ForeignKey("annotation.Project", on_delete=models.PROTECT, related_name="trust_changes")
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

    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="signals")
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
            models.UniqueConstraint(fields=["project", "kind", "task", "workers"], name="worker_signal_once"),
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
    project = models.ForeignKey("annotation.Project", on_delete=models.CASCADE, related_name="skills")
    task = models.CharField(max_length=20)
    accuracy = models.FloatField(help_text="Share of right answers, 0 to 1.")
    low = models.FloatField(help_text="The 95 % interval of it ...")
    high = models.FloatField(help_text="... 0 to 1 where no answer could be checked.")
    answers = models.PositiveIntegerField(help_text="Checked ones: the truth is known, or somebody else answered too.")
    known_answers = models.PositiveIntegerField(help_text="Those of them to verification questions.")
    computed_at = models.DateTimeField()

    class Meta:
        ordering = ("project", "task", "worker")
        constraints = (models.UniqueConstraint(fields=["project", "task", "worker"], name="skill_estimate_once"),)

    def __str__(self) -> str:
        return f"{self.worker}: {self.task}, {self.accuracy:.0%}"
