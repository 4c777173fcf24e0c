"""Where workers come from: who they are on a platform, what it offers them, and the time they spend by an offer."""

from django.db import models
from django.db.models import Q

from annotation.models import Project
from workers.models import Worker


class Identity(models.Model):
    """Who a worker is on a platform."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="identities")
    platform = models.CharField(max_length=20)
    external_id = models.CharField(max_length=100, help_text="As the platform names them.")

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "identities"
        constraints = (models.UniqueConstraint(fields=["platform", "external_id"], name="identity_once"),)

    def __str__(self) -> str:
        return f"{self.external_id} ({self.platform})"


class Offer(models.Model):
    """Places for one task that a platform shows to its workers. A place is a right to ask, tied to no question."""

    class Kind(models.TextChoices):
        ENTRY = "entry", "for newcomers: begins with the qualification test"
        WORK = "work", "for who has passed it"

    class State(models.TextChoices):
        PLANNED = "planned", "not known to be there"
        OPEN = "open"
        ENDING = "ending", "to be withdrawn"
        ENDED = "ended"

    platform = models.CharField(max_length=20)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="offers")
    task = models.CharField(max_length=20)
    kind = models.CharField(max_length=5, choices=Kind.choices)
    state = models.CharField(max_length=7, choices=State.choices, default=State.PLANNED)
    key = models.CharField(max_length=40, unique=True, help_text="Our name for it: by it the platform makes it once.")
    external_id = models.CharField(max_length=100, blank=True, help_text="The platform's name for it.")
    places = models.PositiveIntegerField(help_text="How many workers may take it.")
    taken = models.PositiveIntegerField(default=0, help_text="As the platform said last.")
    least = models.PositiveIntegerField(default=1, help_text="Assignments that a session needs ...")
    quota = models.PositiveIntegerField(default=1, help_text="... and may have.")
    reward_cents = models.PositiveIntegerField(help_text="What the platform pays for a session that is accepted.")
    pays_tests = models.BooleanField(default=False, help_text="It pays for a test that was not passed, too.")
    seconds = models.PositiveIntegerField(help_text="How long a worker has from taking a place.")
    terms = models.JSONField(default=dict, help_text="Title, description and what else the platform shows.")
    tries = models.PositiveIntegerField(default=0, help_text="How often the platform was asked to make it.")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When it was asked last.")
    last_error = models.CharField(max_length=500, blank=True, help_text="What the platform said last, if it refused.")
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When the platform was last read of it.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=["entry", "work"]), name="offer_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=["planned", "open", "ending", "ended"]), name="offer_state_known"
            ),
            models.CheckConstraint(condition=~Q(state="open") | ~Q(external_id=""), name="offer_open_is_named"),
        )
        indexes = (models.Index(fields=["platform", "project", "state"], name="offer_by_state"),)

    def __str__(self) -> str:
        return f"{self.platform}: {self.task.replace('_', ' ')}, {self.kind}"


class Session(models.Model):
    """One worker's facts by an offer. What the platform pays, it pays for this."""

    class State(models.TextChoices):
        OPEN = "open"
        FINISHED = "finished", "handed in here"
        LEFT = "left", "given back, or its time ran out"

    class PlatformState(models.TextChoices):
        """As the platform sees it."""

        UNKNOWN = "", "not handed in there, as far as we know"
        SUBMITTED = "submitted", "waits for us"
        APPROVED = "approved", "approved and paid"
        REJECTED = "rejected"
        RETURNED = "returned", "given back, or its time ran out"

    offer = models.ForeignKey(Offer, on_delete=models.PROTECT, related_name="sessions")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="sessions")
    external_id = models.CharField(max_length=100, help_text="The platform's name for it: assignment, submission.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    platform_state = models.CharField(
        max_length=9, choices=PlatformState.choices, default=PlatformState.UNKNOWN, blank=True
    )
    opened_at = models.DateTimeField()
    ends_at = models.DateTimeField(help_text="The platform's deadline, as far as we can know it.")
    finished_at = models.DateTimeField(null=True, blank=True)
    dry = models.BooleanField(default=False, help_text="When they asked last, nothing more was open for the worker.")

    class Meta:
        ordering = ("-id",)
        constraints = (
            # The id of a session that was given back may come again with another worker.
            models.UniqueConstraint(fields=["offer", "external_id", "worker"], name="session_once"),
            models.CheckConstraint(condition=Q(state__in=["open", "finished", "left"]), name="session_state_known"),
            models.CheckConstraint(
                condition=Q(platform_state__in=["", "submitted", "approved", "rejected", "returned"]),
                name="session_platform_state_known",
            ),
        )
        indexes = (
            models.Index(fields=["platform_state"], name="session_to_settle", condition=Q(platform_state="submitted")),
        )

    def __str__(self) -> str:
        return f"{self.worker} at {self.external_id}"


class Payment(models.Model):
    """What a platform is to be told once, because money hangs on it. Written down before it is said."""

    class Kind(models.TextChoices):
        APPROVE = "approve"
        REJECT = "reject"
        OVERRIDE = "override", "approve after all"
        BONUS = "bonus"

    class State(models.TextChoices):
        PLANNED = "planned"
        SENT = "sent", "said, and it is not known whether it was heard"
        DONE = "done"
        REFUSED = "refused", "the platform will not"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=7, choices=State.choices, default=State.PLANNED)
    cents = models.PositiveIntegerField(default=0, help_text="In hundredths of the project's currency.")
    reason = models.CharField(max_length=1000, blank=True, help_text="The worker reads it.")
    external_id = models.CharField(
        max_length=100, blank=True, help_text="The platform's name for it, where it has one."
    )
    tries = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When it was said last.")
    last_error = models.CharField(max_length=500, blank=True, help_text="What went wrong last.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["approve", "reject", "override", "bonus"]), name="payment_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["planned", "sent", "done", "refused"]), name="payment_state_known"
            ),
            models.CheckConstraint(condition=~Q(kind="bonus") | Q(cents__gt=0), name="payment_bonus_is_money"),
            # Two runs at once plan the same thing once.
            models.UniqueConstraint(
                fields=["session", "kind"], condition=Q(state__in=["planned", "sent"]), name="payment_one_at_a_time"
            ),
        )
        indexes = (
            models.Index(fields=["state"], name="payment_to_carry_out", condition=Q(state__in=["planned", "sent"])),
        )

    def __str__(self) -> str:
        return f"{self.kind} for {self.session}"


class Recruitment(models.Model):
    """That a project's work is offered on a platform, and on what terms; offers follow the open work while it is on."""

    platform = models.CharField(max_length=20)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="recruitments")
    active = models.BooleanField(default=True)
    tasks = models.JSONField(default=list, help_text="Tasks that are offered.")
    terms = models.JSONField(default=dict, help_text="As platforms/contract/terms.py says.")
    started_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When the platform was last read to the end.")

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["platform", "project"], name="recruitment_once"),)

    def __str__(self) -> str:
        return f"project {self.project_id} on {self.platform}"


class Screening(models.Model):
    """What a platform was last told of a worker's test: who has passed finds the offers of work."""

    identity = models.ForeignKey(Identity, on_delete=models.PROTECT, related_name="screenings")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="screenings")
    task = models.CharField(max_length=20)
    passed = models.BooleanField(null=True, help_text="Empty: neither way, newcomer.")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["identity", "project", "task"], name="screening_once"),)

    def __str__(self) -> str:
        return f"{self.identity}: {self.task}"


class Counterpart(models.Model):
    """What the platform calls something that we made there: a HIT type, a qualification type, a participant group."""

    platform = models.CharField(max_length=20)
    name = models.CharField(max_length=200, help_text="Our name for it, made of what it is.")
    external_id = models.CharField(max_length=100)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["platform", "name"], name="counterpart_once"),)

    def __str__(self) -> str:
        return self.name
