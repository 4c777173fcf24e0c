"""Projects, images and what is annotated. Chains, boxes and states are a cache of the record that `pipeline` keeps."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from annotation.rules.box import Box as BoxValue
from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual, ProjectState, Survey
from annotation.state_columns import choices, known
from runtime import clock

LEAST_KEPT_DAYS, MOST_KEPT_DAYS = 30, 3650
"""Of a project's `kept_days`: a worker who is away for a holiday is not forgotten."""


class Project(models.Model):
    """One data set being annotated under one set of protocol settings."""

    name = models.SlugField(max_length=100, unique=True)
    title = models.CharField(max_length=200, blank=True)
    state = models.CharField(
        max_length=8,
        choices=choices(ProjectState),
        default=ProjectState.RUNNING.value,
        db_default=ProjectState.RUNNING.value,
        help_text="Only a running project gives workers new questions.",
    )
    requester = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="Who asks: the person or institution, as workers read it.",
    )
    contact = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="How workers reach them: an address or a page."
    )
    purpose = models.CharField(
        max_length=1000,
        blank=True,
        default="",
        db_default="",
        help_text="What the answers are for, in a sentence or two.",
    )
    kept_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(LEAST_KEPT_DAYS), MaxValueValidator(MOST_KEPT_DAYS)],
        help_text="Days after a worker was last active here until their account is deleted, and their answers are kept "
        "without a name; empty: accounts are kept until workers delete them.",
    )
    # Objects, only read whole: `annotation.data_card` and `annotation.archived` declare them, the database does not.
    data_card = models.JSONField(default=dict, db_default={}, blank=True, editable=False)
    away = models.JSONField(null=True, blank=True, editable=False)
    dry_run = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="A copy in which simulated workers answer: nobody is paid, and it can be deleted with all answers.",
    )
    survey = models.CharField(
        max_length=20,
        choices=choices(Survey),
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The one question that a survey asks; empty: the paper's six tasks.",
    )
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=known("state", ProjectState), name="project_state_known"),
            models.CheckConstraint(condition=known("survey", Survey, blank=True), name="project_survey_known"),
        )

    def __str__(self) -> str:
        return self.name


class Image(models.Model):
    """A picture with several independent captions. Width and height are those of the upright picture, in pixels."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="images")
    name = models.CharField(max_length=200)
    path = models.CharField(max_length=300, blank=True, default="", db_default="", help_text="Its path in its source.")
    coco_id = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Its id in COCO files: that of the import, or one given at import. Empty: its position, from 1.",
    )
    position = models.PositiveIntegerField(help_text="Import order within the project, from 0.")
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    picture = models.CharField(max_length=300, blank=True, help_text="Name in storage; empty if there are no pixels.")
    state = models.CharField(max_length=10, choices=choices(ImageState), default=ImageState.LINKING.value)
    source = models.CharField(max_length=500, blank=True, help_text="The file or address it was imported from.")

    class Meta:
        ordering = ("project", "position")
        constraints = (
            models.UniqueConstraint(fields=["project", "name"], name="image_once_per_project"),
            models.UniqueConstraint(fields=["project", "position"], name="image_position_once_per_project"),
            models.CheckConstraint(condition=known("state", ImageState), name="image_state_known"),
            models.CheckConstraint(condition=Q(width__gt=0, height__gt=0), name="image_not_empty"),
        )
        indexes = (models.Index(fields=["project", "state"]),)

    def __str__(self) -> str:
        return self.name

    @property
    def coco_number(self) -> int | str:
        """The id in COCO files. Images of older projects have none stored: theirs follows from the import order."""
        return self.position + 1 if self.coco_id is None else self.coco_id


class Caption(models.Model):
    """One sentence about an image, with its words and their positions in the text."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="captions")
    number = models.PositiveSmallIntegerField(help_text="From 0, in the order of the source.")
    text = models.TextField()
    words = models.JSONField()
    offsets = models.JSONField(help_text="Position of the first character of each word in the text.")
    non_visual = models.JSONField(default=list, help_text="Chunks that are not mentions: [first word, end].")
    chunked = models.BooleanField(default=True, help_text="Off while its phrases are still to be found.")

    class Meta:
        ordering = ("image", "number")
        constraints = (models.UniqueConstraint(fields=["image", "number"], name="caption_number_once"),)

    def __str__(self) -> str:
        return self.text


class Chain(models.Model):
    """A coreference chain, named by its first mention in reading order."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="chains")
    name = models.PositiveIntegerField(help_text="Number of its first mention.")
    state = models.CharField(max_length=12, choices=choices(ChainState))
    representative = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of the mention shown to workers; empty before the first box task."
    )
    non_visual = models.CharField(max_length=6, choices=choices(NonVisual), blank=True)
    doubted = models.CharField(max_length=200, blank=True, help_text="Why the chain is in doubt.")
    review = models.CharField(max_length=200, blank=True, help_text="Why an expert is needed.")
    merged_into = models.PositiveIntegerField(null=True, blank=True, help_text="Name of the chain it was merged into.")

    class Meta:
        ordering = ("image", "name")
        constraints = (
            models.UniqueConstraint(fields=["image", "name"], name="chain_name_once"),
            models.CheckConstraint(condition=known("state", ChainState), name="chain_state_known"),
            models.CheckConstraint(condition=known("non_visual", NonVisual, blank=True), name="chain_non_visual_known"),
            models.CheckConstraint(
                condition=Q(state=ChainState.NON_VISUAL.value) ^ Q(non_visual=""), name="chain_non_visual_has_a_kind"
            ),
            models.CheckConstraint(
                condition=Q(state=ChainState.REVIEW.value) ^ Q(review=""), name="chain_review_has_a_reason"
            ),
        )
        indexes = (models.Index(fields=["state"]),)

    def __str__(self) -> str:
        return f"chain {self.name}"


class Mention(models.Model):
    """A noun-phrase chunk: the words [start, end) of a caption, with one or more types."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="mentions")
    caption = models.ForeignKey(Caption, on_delete=models.CASCADE, related_name="mentions")
    number = models.PositiveIntegerField(help_text="Number within the image; never used again.")
    start = models.PositiveSmallIntegerField(help_text="First word.")
    end = models.PositiveSmallIntegerField(help_text="One past the last word.")
    types = models.JSONField()
    text = models.CharField(max_length=500)
    chain = models.PositiveIntegerField(null=True, blank=True, help_text="Name of its chain; empty before linking.")

    class Meta:
        ordering = ("image", "caption__number", "start")
        constraints = (
            models.UniqueConstraint(fields=["image", "number"], name="mention_number_once"),
            models.UniqueConstraint(fields=["caption", "start"], name="mention_start_once"),
            models.CheckConstraint(condition=Q(start__lt=F("end")), name="mention_has_words"),
        )

    def __str__(self) -> str:
        return self.text


class PixelBox(models.Model):
    """Whole pixels [x0, x1) x [y0, y1) of the upright image."""

    x0 = models.PositiveIntegerField()
    y0 = models.PositiveIntegerField()
    x1 = models.PositiveIntegerField()
    y1 = models.PositiveIntegerField()

    class Meta:
        abstract = True

    @property
    def box(self) -> BoxValue:
        return BoxValue(self.x0, self.y0, self.x1, self.y1)

    def __str__(self) -> str:
        return f"[{self.x0}, {self.x1}) x [{self.y0}, {self.y1})"


NOT_EMPTY = Q(x0__lt=F("x1"), y0__lt=F("y1"))


class Box(PixelBox):
    """A box that was drawn for a chain, or that was known at import."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="boxes")
    number = models.PositiveIntegerField(help_text="Order of drawing within the image, from 0.")
    chain = models.PositiveIntegerField(help_text="Name of the chain it was drawn for.")
    state = models.CharField(max_length=9, choices=choices(BoxState), default=BoxState.PENDING.value)
    drawn_by = models.ForeignKey(
        "workers.Worker",
        null=True,
        on_delete=models.PROTECT,
        related_name="boxes",
        db_index=False,  # the index below begins with the column
        help_text="The worker who drew it, or the program that proposed it; "
        "empty if it was known at import or drawn by an expert.",
    )
    judged_at = models.DateTimeField(null=True, help_text="When a quality judgment accepted or discarded a drawn box.")
    pre_annotated = models.BooleanField(
        default=False, db_default=False, help_text="A program predicted it: nobody was asked to draw it."
    )

    class Meta:
        ordering = ("image", "number")
        verbose_name_plural = "boxes"
        indexes = (
            models.Index(fields=["drawn_by", "judged_at"], name="box_of_worker"),
            models.Index(fields=["image"], name="box_pending", condition=Q(state=BoxState.PENDING.value)),
            models.Index(fields=["image"], name="box_pre_annotated", condition=Q(pre_annotated=True)),
        )
        constraints = (
            models.UniqueConstraint(fields=["image", "number"], name="box_number_once"),
            models.CheckConstraint(condition=NOT_EMPTY, name="box_not_empty"),
            models.CheckConstraint(condition=known("state", BoxState), name="box_state_known"),
        )


class MergedBox(PixelBox):
    """A box of the finished data set: the mean of accepted boxes that show the same thing."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="merged_boxes")
    number = models.PositiveIntegerField(help_text="Order of merged boxes by their first member, from 0.")
    # Numbers in JSON, not a table: written once, when the image is merged, and always read whole with the box.
    members = models.JSONField(help_text="Numbers of the boxes it is the mean of.")

    class Meta:
        ordering = ("image", "number")
        verbose_name_plural = "merged boxes"
        constraints = (
            models.UniqueConstraint(fields=["image", "number"], name="merged_box_number_once"),
            models.CheckConstraint(condition=NOT_EMPTY, name="merged_box_not_empty"),
        )


class KnownBox(PixelBox):
    """A box that was imported with a category but without a chain, as in COCO."""

    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="known_boxes")
    category = models.CharField(max_length=100)
    exported = models.BooleanField(
        default=True, db_default=True, help_text="Exports hold it with its category. Off if it is used in another way."
    )

    class Meta:
        verbose_name_plural = "known boxes"
        constraints = (models.CheckConstraint(condition=NOT_EMPTY, name="known_box_not_empty"),)


class Gold(models.Model):
    """The known right answer for one image, for simulations and verification questions."""

    image = models.OneToOneField(Image, primary_key=True, on_delete=models.CASCADE, related_name="gold")
    chains = models.JSONField(help_text="For each chain: name, numbers of mentions, scene, boxes [x0, y0, x1, y1].")
    complete = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Every phrase and box is known. Otherwise two annotators still disagree: no simulation uses it.",
    )

    class Meta:
        verbose_name_plural = "gold"

    def __str__(self) -> str:
        return f"gold of {self.image}"
