"""Tables of trust: how far each worker is trusted on a task, how that changed, and what was found about their work."""

from django.db import models
from django.db.models import Q

from runtime.words import percent
from workers.models.people import Worker
from workers.rules.trust_states import TrustState


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
