"""Workers, offers, sessions and payments on a platform. Each row is written before the platform is called."""

from django.db import models
from django.db.models import Q

from annotation.models import Project
from workers.models import Worker


class Identity(models.Model):
    """A worker's account on a platform."""

    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="identities")
    platform = models.CharField(max_length=20)
    external_id = models.CharField(max_length=100, help_text="The platform's id of the worker.")

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "identities"
        constraints = (models.UniqueConstraint(fields=["platform", "external_id"], name="identity_once"),)

    def __str__(self) -> str:
        return f"{self.external_id} ({self.platform})"


class Offer(models.Model):
    """Places for one task, shown to a platform's workers. A place is a right to ask for work, tied to no question."""

    class Kind(models.TextChoices):
        ENTRY = "entry", "for newcomers: starts with the qualification test"
        WORK = "work", "for workers who passed the test"
        TEST = "test", "for test participants: a trial, in which nobody is paid and no answer counts"

    class State(models.TextChoices):
        PLANNED = "planned", "not known to exist on the platform"
        OPEN = "open"
        ENDING = "ending", "to be withdrawn"
        ENDED = "ended"

    platform = models.CharField(max_length=20)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="offers")
    task = models.CharField(max_length=20)
    kind = models.CharField(max_length=5, choices=Kind.choices)
    state = models.CharField(max_length=7, choices=State.choices, default=State.PLANNED)
    key = models.CharField(
        max_length=40, unique=True, help_text="Our name for it, which keeps the platform from making it twice."
    )
    external_id = models.CharField(max_length=100, blank=True, help_text="The platform's id of the offer.")
    places = models.PositiveIntegerField(help_text="How many sessions it allows.")
    taken = models.PositiveIntegerField(default=0, help_text="Places that are taken, as last read.")
    least = models.PositiveIntegerField(default=1, help_text="Assignments that a session needs.")
    quota = models.PositiveIntegerField(default=1, help_text="Assignments that a session may have.")
    reward_cents = models.PositiveIntegerField(help_text="What the platform pays for an accepted session.")
    pays_tests = models.BooleanField(default=False, help_text="A failed test is paid, too.")
    seconds = models.PositiveIntegerField(help_text="Time for a session, from taking a place.")
    terms = models.JSONField(default=dict, help_text="Title, description and whatever else the platform shows.")
    tries = models.PositiveIntegerField(default=0, help_text="How often the platform was asked to make it.")
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When the platform was last asked to make it.")
    last_error = models.CharField(max_length=500, blank=True, help_text="The platform's last error message, if any.")
    looked_at = models.DateTimeField(
        null=True, blank=True, help_text="When its sessions were last read from the platform."
    )
    recruited_in = models.CharField(
        max_length=100, blank=True, help_text="Time until all places are taken, as the platform predicted."
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(condition=Q(kind__in=["entry", "work", "test"]), name="offer_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=["planned", "open", "ending", "ended"]), name="offer_state_known"
            ),
            models.CheckConstraint(condition=~Q(state="open") | ~Q(external_id=""), name="offer_open_is_named"),
        )
        indexes = (models.Index(fields=["platform", "project", "state"], name="offer_by_state"),)

    def __str__(self) -> str:
        return f"{self.platform}: {self.task.replace('_', ' ')}, {self.kind}"


class Session(models.Model):
    """One worker's work by an offer. The platform pays per session."""

    class State(models.TextChoices):
        OPEN = "open"
        FINISHED = "finished", "handed in on our page"
        LEFT = "left", "given back, or its time ran out"

    class PlatformState(models.TextChoices):
        """The session's state on the platform."""

        UNKNOWN = "", "not submitted on the platform, as far as we know"
        SUBMITTED = "submitted", "waits for our decision"
        APPROVED = "approved", "approved and paid"
        REJECTED = "rejected"
        RETURNED = "returned", "given back, or its time ran out"

    offer = models.ForeignKey(Offer, on_delete=models.PROTECT, related_name="sessions")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="sessions")
    external_id = models.CharField(max_length=100, help_text="The platform's id of the assignment or submission.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    platform_state = models.CharField(
        max_length=9, choices=PlatformState.choices, default=PlatformState.UNKNOWN, blank=True
    )
    opened_at = models.DateTimeField()
    ends_at = models.DateTimeField(help_text="The platform's deadline, as far as we know.")
    finished_at = models.DateTimeField(null=True, blank=True)
    nothing_open = models.BooleanField(
        default=False, help_text="There was nothing to do for the worker when they last asked."
    )
    visitor = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Digest of the address and browser that opened it first, where only those tell.",
    )
    strangers = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Visits from elsewhere, which were refused."
    )
    stranger_at = models.DateTimeField(null=True, blank=True, help_text="When the last of them came.")
    return_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="When the worker was asked to give it back instead of a rejection."
    )

    class Meta:
        ordering = ("-id",)
        constraints = (
            # A session that was given back may return under the same id with another worker.
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
    """A decision or bonus that a platform is sent once, because it moves money. Stored before it is sent."""

    class Kind(models.TextChoices):
        APPROVE = "approve"
        PART = "part", "approve, and pay a part of the reward"
        REJECT = "reject"
        OVERRIDE = "override", "approve after all"
        BONUS = "bonus"

    class State(models.TextChoices):
        PLANNED = "planned"
        SENT = "sent", "sent, and it is not known whether it took effect"
        DONE = "done"
        REFUSED = "refused", "refused by the platform"

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="payments")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=7, choices=State.choices, default=State.PLANNED)
    cents = models.PositiveIntegerField(default=0, help_text="In hundredths of the project's currency.")
    reason = models.CharField(max_length=1000, blank=True, help_text="Shown to the worker.")
    external_id = models.CharField(
        max_length=100, blank=True, help_text="The platform's id of the payment, if it has one."
    )
    tries = models.PositiveIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When it was last sent.")
    last_error = models.CharField(max_length=500, blank=True, help_text="The last error message, if any.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.CheckConstraint(
                condition=Q(kind__in=["approve", "part", "reject", "override", "bonus"]), name="payment_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["planned", "sent", "done", "refused"]), name="payment_state_known"
            ),
            models.CheckConstraint(condition=~Q(kind="bonus") | Q(cents__gt=0), name="payment_bonus_is_money"),
            # Two runs at once plan the same payment once.
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
    """A project's work offered on a platform, on certain terms. While active, its offers follow the open work."""

    platform = models.CharField(max_length=20)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="recruitments")
    active = models.BooleanField(default=True)
    tasks = models.JSONField(default=list, help_text="Tasks that are offered.")
    terms = models.JSONField(default=dict, help_text="The fields of platforms/contract.py.")
    started_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True, help_text="When the platform was last read completely.")

    class Meta:
        ordering = ("-id",)
        constraints = (models.UniqueConstraint(fields=["platform", "project"], name="recruitment_once"),)

    def __str__(self) -> str:
        return f"project {self.project_id} on {self.platform}"


class Screening(models.Model):
    """A worker's test result as last reported to a platform, which shows offers of work to those who passed."""

    identity = models.ForeignKey(Identity, on_delete=models.PROTECT, related_name="screenings")
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="screenings")
    task = models.CharField(max_length=20)
    passed = models.BooleanField(null=True, help_text="Empty: a newcomer.")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["identity", "project", "task"], name="screening_once"),)

    def __str__(self) -> str:
        return f"{self.identity}: {self.task}"


class Counterpart(models.Model):
    """The platform's id of something that we made there, such as a qualification type or a participant group."""

    platform = models.CharField(max_length=20)
    name = models.CharField(max_length=200, help_text="Our name for it.")
    external_id = models.CharField(max_length=100)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=["platform", "name"], name="counterpart_once"),)

    def __str__(self) -> str:
        return self.name
