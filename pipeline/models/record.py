"""The record that all state is derived from, the progress that is kept of its fold, and the time of the last tick."""

from enum import StrEnum
from secrets import token_hex

from django.db import models
from django.db.models import Q

from annotation.models import Image, Project
from annotation.state_columns import choices, known
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.models.work import Judgment
from runtime import clock
from runtime.words import percent


class Origin(StrEnum):
    """The source of a learned state."""

    GIVEN = "given"
    FITTED = "fitted"
    """To known chains or labels, when somebody asked for it."""
    REFIT = "refit"
    """To the project's answers."""


def new_key() -> str:
    """Return a key that no row ever had, not even one whose transaction failed: processes keep states by their keys."""
    return token_hex(16)


class Learned(models.Model):
    """The lessons of a project's answers, or what somebody gave in its place. Never edited; a refit adds a row."""

    key = models.CharField(max_length=32, primary_key=True, default=new_key, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="learned")
    values = models.JSONField()
    origin = models.CharField(max_length=8, choices=choices(Origin))
    base = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        help_text="What somebody gave, towards which a refit was pulled; empty: the defaults.",
    )
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = "learned state"
        ordering = ("project", "-created_at")
        constraints = (
            models.CheckConstraint(condition=known("origin", Origin), name="learned_origin_known"),
            models.CheckConstraint(
                condition=Q(origin=Origin.REFIT.value) | Q(base__isnull=True), name="learned_base_of_refits"
            ),
        )

    def __str__(self) -> str:
        return f"{self.origin} {self.created_at:%Y-%m-%d %H:%M}"


class SettingsVersion(models.Model):
    """One version of a project's protocol settings. A version is never edited; a change adds a new one."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="settings_versions")
    version = models.PositiveIntegerField()
    values = models.JSONField()
    learned = models.ForeignKey(
        Learned, null=True, blank=True, on_delete=models.CASCADE, help_text="In force with it; empty: the defaults."
    )
    reason = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    # Null, not empty: SQLite then adds the columns without making the table anew, which would drop its trigger.
    made_by = models.CharField(max_length=150, null=True, blank=True)
    begun_from = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Images with answers follow only if their last entry was made under this version or a later one; "
        "empty: every image follows.",
    )
    learned_from = models.PositiveIntegerField(
        null=True, blank=True, help_text="Answers that a refit learned this version from; empty: people chose it."
    )

    class Meta:
        ordering = ("project", "-version")
        constraints = (models.UniqueConstraint(fields=["project", "version"], name="settings_version_once"),)

    def __str__(self) -> str:
        return f"version {self.version}"

    @property
    def by_refit(self) -> bool:
        """Whether the project learned the version; else people chose it."""
        return self.learned_from is not None


class Progress(models.Model):
    """The progress of one image: the fold of its record, kept so that nobody has to fold it again."""

    class Due(models.TextChoices):
        NOTHING = "", "nothing"
        LINKS = "links", "link scheduling"
        MERGE = "merge", "merging"

    image = models.OneToOneField(Image, primary_key=True, on_delete=models.CASCADE, related_name="progress")
    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    sequence = models.PositiveIntegerField(help_text="Number of the last entry that was folded.")
    state = models.JSONField()
    due = models.CharField(max_length=5, choices=Due.choices, blank=True)

    class Meta:
        verbose_name_plural = "progress"
        indexes = (models.Index(fields=["project", "due", "image"], name="progress_due"),)

    def __str__(self) -> str:
        return f"{self.image}, {self.sequence} entries"


class Entry(models.Model):
    """One entry of the record. The entries of an image are strictly ordered, and its state is their fold.

    Only `record.append_entries` writes them.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="entries")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="entries")
    sequence = models.PositiveIntegerField(help_text="Order within the image, from 0.")
    kind = models.CharField(max_length=12)
    settings_version = models.PositiveIntegerField()
    judgment = models.OneToOneField(Judgment, null=True, on_delete=models.PROTECT, related_name="entry")
    data = models.JSONField(default=dict)
    # Null, not empty: SQLite then adds the column without making the table anew, which would drop its trigger.
    context = models.JSONField(
        null=True,
        blank=True,
        help_text="What no rule can know: the worker's skill, whether a model answered, the seed of audits, the models "
        "that were silent, and the questions on loan. Empty: nothing of it is needed, or all is as usual.",
    )
    actor = models.CharField(max_length=150, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "record"
        ordering = ("image", "sequence")
        indexes = (
            models.Index(fields=["project", "created_at"], name="entry_reported", condition=Q(kind="report")),
            # For searches: most entries are judgments, without a reason and by nobody.
            models.Index(fields=["image"], name="entry_with_reason", condition=~Q(reason="")),
            models.Index(fields=["image"], name="entry_by_somebody", condition=~Q(actor="")),
        )
        constraints = (
            # If two writers fold the same image at once, both add the same number, and one of them fails.
            models.UniqueConstraint(fields=["image", "sequence"], name="entry_order"),
            models.CheckConstraint(
                condition=Q(kind="judgment") ^ Q(judgment__isnull=True), name="entry_judgment_is_a_judgment"
            ),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.kind}"


class Transition(models.Model):
    """One move of an image, a chain, a box or a question, with its reason and the entry that caused it. Append-only."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE)
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="transitions")
    machine = models.CharField(max_length=8)
    subject = models.CharField(
        max_length=40, help_text="Name of the chain, or number of the box or question; 0: the image."
    )
    old = models.CharField(max_length=12, blank=True)
    new = models.CharField(max_length=12)
    reason = models.CharField(max_length=200)
    sequence = models.PositiveIntegerField(help_text="Number of the entry that caused it.")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=["image", "machine", "subject"]),)

    def __str__(self) -> str:
        return f"{self.machine} {self.subject}: {self.old} → {self.new}"


class LabelDoubt(models.Model):
    """The doubt about one label of a checked data set after the last entry of its image. A cache like the tables of
    chains: `record.write_doubts` writes it.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="label_doubts", db_index=False)
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="label_doubts")
    chain = models.PositiveIntegerField(help_text="Name of its chain.")
    standing = models.CharField(max_length=11, choices=choices(LabelStatus))
    part = models.CharField(max_length=8, choices=choices(LabelPart), help_text="The part that is most in doubt.")
    doubt = models.FloatField(help_text="The chance that the label is wrong, 0 to 1.")
    mentions = models.FloatField(help_text="The chance that it has exactly the right mentions, 0 to 1.")
    boxes = models.FloatField(help_text="The chance that its boxes are right, given that it needs any, 0 to 1.")
    flag = models.FloatField(help_text="The chance that it rightly has boxes, or rightly has none, 0 to 1.")

    class Meta:
        ordering = ("project", "-doubt", "id")
        constraints = (
            models.UniqueConstraint(fields=["image", "chain"], name="label_doubt_once"),
            models.CheckConstraint(condition=known("standing", LabelStatus), name="label_doubt_standing_known"),
            models.CheckConstraint(condition=known("part", LabelPart), name="label_doubt_part_known"),
        )
        indexes = (
            models.Index(fields=["project", "-doubt", "id"], name="label_doubt_worst"),
            # Filtered lists, and the counts and sums of all, which read the index alone.
            models.Index(fields=["project", "standing", "part", "-doubt", "id"], name="label_doubt_kinds"),
        )

    def __str__(self) -> str:
        return f"chain {self.chain} of {self.image}: {percent(self.doubt, chance=True)}"
