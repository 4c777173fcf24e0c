"""Tables of the requesters' pages. They import only the tables of the apps below."""

from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Image, Project
from annotation.rules.states import ProjectState
from annotation.state_columns import choices
from labelling.models import OutgoingMail
from runtime import clock
from workers.models import Worker


class Run(models.Model):
    """Long work that a person began, watches and may stop. A process does it; the row outlives the process."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        PAUSED = "paused"
        CANCELLED = "cancelled"
        FAILED = "failed"
        DONE = "done"

    class Request(models.TextChoices):
        """A request that the process reads between two steps."""

        NOTHING = "", "nothing"
        PAUSE = "pause"
        CANCEL = "cancel"

    operation = models.CharField(max_length=40, help_text="The name of the operation that began it.")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The account that began it, or resumed it last: it goes on by this account's right.",
    )
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    requested = models.CharField(max_length=6, choices=Request, blank=True, default=Request.NOTHING)
    lane = models.CharField(max_length=60, help_text="Of the runs of a project in one lane, one is open.")
    # JSON and no tables: a few values that only the operation understands, written once and read whole, which its
    # models check. The cost: the database does not check them.
    input = models.JSONField(default=dict, help_text="The values that the work is done with.")
    result = models.JSONField(default=dict, help_text="The result; of images, the counts so far.")
    done = models.PositiveIntegerField(default=0, help_text="Steps done so far.")
    total = models.PositiveIntegerField(default=0, help_text="About as many steps as there are; 0: not known.")
    message = models.CharField(max_length=200, blank=True, help_text="The present step, in words.")
    problem = models.TextField(blank=True, help_text="The reason why it failed.")
    asked_at = models.DateTimeField(default=clock.now)
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    OPEN: ClassVar = (State.WAITING, State.RUNNING)

    class Meta:
        ordering = ("project", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "running", "paused", "cancelled", "failed", "done"]),
                name="run_state_known",
            ),
            models.UniqueConstraint(
                fields=["project", "lane"], condition=Q(state__in=["waiting", "running"]), name="run_one_open_in_lane"
            ),
        )

    def __str__(self) -> str:
        return f"{self.operation} {self.pk} of {self.project}"

    @property
    def key(self) -> str:
        """The name of this work among the runs of jobs."""
        return f"projects.run {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def seconds(self) -> float:
        """The time since it began, or that it took."""
        if self.begun_at is None:
            return 0.0
        return round(((self.ended_at or clock.now()) - self.begun_at).total_seconds(), 1)


class Upload(models.Model):
    """Files that a project's requesters uploaded: in the bucket, or in a folder of CHAINBOX_DATA if there is none.

    The sums keep them within bounds.
    """

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="upload")
    files = models.PositiveIntegerField(default=0, help_text="Files that were begun.")
    bytes = models.PositiveBigIntegerField(default=0, help_text="Their sizes when they are complete, together.")
    touched_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"upload of {self.project}"

    @staticmethod
    def folder_of(project_id: int) -> Path:
        """Return the folder of the project's uploaded files."""
        return Path(settings.DATA) / "uploads" / str(project_id)


class UploadedFile(models.Model):
    """A file that comes into the bucket in pieces, complete or not. Of a service without a bucket there are none."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="uploaded_files")
    path = models.CharField(max_length=500)
    size = models.PositiveBigIntegerField(help_text="Bytes of the whole file.")
    received = models.PositiveBigIntegerField(default=0, help_text="Bytes that are here.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project", "path"], condition=models.Q(received=models.F("size")), name="uploaded_file_complete"
            ),
            models.UniqueConstraint(
                fields=["project", "path", "size"],
                condition=models.Q(received__lt=models.F("size")),
                name="uploaded_file_begun",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path}: {self.received} of {self.size} bytes"


class UploadedPiece(models.Model):
    """A piece of such a file, which is an object in the bucket."""

    file = models.ForeignKey(UploadedFile, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    at = models.PositiveBigIntegerField(help_text="Where it begins, in bytes.")
    length = models.PositiveIntegerField()
    name = models.CharField(max_length=40, help_text="The last part of its name in the bucket.")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["file", "at"], name="uploaded_piece_once")]

    def __str__(self) -> str:
        return f"{self.length} bytes from {self.at}"


class KnownUse(models.TextChoices):
    """The use of chains and boxes that come with an import, and of boxes with a category and no chain."""

    ANNOTATIONS = "annotations", "annotations: images with chains are done"
    GOLD = "gold", "gold: answers to compare with"
    PRE_ANNOTATIONS = "pre_annotations", "pre-annotations: workers judge them"
    CHECK = "check", "to check: they stay, and workers are asked where there is doubt"

    @property
    def by_program(self) -> bool:
        """Whether a program stands for the source."""
        return self in (KnownUse.PRE_ANNOTATIONS, KnownUse.CHECK)


class ImportProblem(models.Model):
    """A part of a source that an import left out, and why."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="problems")
    file = models.CharField(max_length=500)
    line = models.PositiveIntegerField(null=True)
    image = models.CharField(max_length=200, blank=True)
    message = models.CharField(max_length=1000)

    class Meta:
        ordering = ("run", "id")

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" + (f" (image {self.image} left out)" if self.image else "")


class ItemsFile(models.Model):
    """A file of items that was checked and waits for its import. Whatever is imported is in the record."""

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="items_file")
    name = models.CharField(max_length=200, help_text="The file's name, as its owner calls it.")
    text = models.TextField(help_text="One JSON object a line.")
    items = models.PositiveIntegerField(help_text="Lines with an item.")
    known = models.PositiveIntegerField(default=0, help_text="Items that become verification questions.")
    seed = models.PositiveIntegerField(default=0)
    source = models.ForeignKey(
        Project,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="The project that has the pictures; empty: the uploaded files.",
    )
    given_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return f"{self.name} of {self.project}"


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


class Figures(models.Model):
    """One group of figures of a project, as of a time. Whatever is here can be computed again from the other tables."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="figures", db_index=False)
    name = models.CharField(max_length=20)
    computed_at = models.DateTimeField()
    seconds = models.FloatField(help_text="The time that computing took: a slow group is computed less often.")
    # JSON and no columns: a group is only ever written and read whole, by `projects.dashboard`. The cost: the database
    # does not check its shape.
    values = models.JSONField()

    class Meta:
        ordering = ("project", "name")
        verbose_name_plural = "figures"
        constraints = (models.UniqueConstraint(fields=["project", "name"], name="figures_once"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.project_id}"


class Looked(models.Model):
    """The moment up to which the requesters have read what workers said in a project."""

    project = models.OneToOneField(Project, primary_key=True, on_delete=models.CASCADE, related_name="looked")
    until = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=clock.now)

    class Meta:
        verbose_name_plural = "looked"

    def __str__(self) -> str:
        return f"project {self.project_id}: read up to {self.until:%Y-%m-%d %H:%M}"


class GoldImage(models.Model):
    """A sampled image, and how far reviewers are with it. What they agree on is in `annotation.models.Gold`."""

    image = models.OneToOneField(Image, primary_key=True, on_delete=models.CASCADE, related_name="gold_image")
    place = models.PositiveIntegerField(help_text="Order in which the images are annotated, from 0.")
    annotators = models.PositiveSmallIntegerField(help_text="People who annotate it, independently: one or two.")
    disputes = models.PositiveSmallIntegerField(default=0, help_text="Disagreements that nobody has settled yet.")
    settled_at = models.DateTimeField(null=True, blank=True, help_text="Its whole annotation counts since.")
    # Counts in JSON, not a table: written whole when the annotation is known, and only ever added up for a page.
    gives = models.JSONField(default=dict, help_text="Known questions that can be made of it, by task and answer.")
    added_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("place",)
        constraints = (
            models.CheckConstraint(condition=Q(annotators__in=[1, 2]), name="gold_image_one_or_two_annotators"),
        )

    def __str__(self) -> str:
        return f"gold image {self.image_id}"


class GoldAnnotation(models.Model):
    """One reviewer's annotation of a sampled image, or the one that settles a disagreement. It is not a judgment."""

    gold_image = models.ForeignKey(GoldImage, on_delete=models.CASCADE, related_name="annotations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150, help_text="The user's name at the time.")
    settles = models.BooleanField(default=False, help_text="It settles the disagreements of two others.")
    # Chains in JSON, not tables: saved whole with each change, by one person, and read whole.
    chains = models.JSONField(help_text="For each chain: mentions, non_visual, boxes [x0, y0, x1, y1].")
    revision = models.PositiveIntegerField(default=0, help_text="How often it was saved.")
    begun_at = models.DateTimeField(default=clock.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("gold_image", "id")
        constraints = (
            models.UniqueConstraint(
                fields=["gold_image", "user"], condition=Q(settles=False), name="gold_annotation_once_each"
            ),
            models.UniqueConstraint(fields=["gold_image"], condition=Q(settles=True), name="gold_settled_once"),
        )

    def __str__(self) -> str:
        return f"{'settlement' if self.settles else 'annotation'} of {self.gold_image} by {self.name}"


class ErrorSample(models.Model):
    """A random sample of finished images, and what was found in each [paper 3.3.3]."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="error_samples")
    seed = models.PositiveIntegerField(help_text="The same seed chooses the same images out of the same finished ones.")
    images = models.JSONField(help_text="Ids of the sampled images, in the order in which they are looked at.")
    # Counts in JSON, not a table: one small object for each image, read and written whole with the sample.
    tallies = models.JSONField(default=dict, help_text="What was found, by the image's id: counts of errors and parts.")
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"sample {self.pk} of {len(self.images)} images"


class ModelPrediction(models.Model):
    """All that one program predicts for one image; a later import of the program takes its place.

    While it is due, its boxes are still to be entered in the record of the image.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="model_predictions", db_index=False)
    program = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="model_predictions")
    image = models.ForeignKey(Image, on_delete=models.CASCADE, related_name="model_predictions")
    # JSON and no tables: written once, and always read whole, with the image. The cost: no foreign key guards the
    # numbers of mentions; those of removed mentions are passed over.
    boxes = models.JSONField(default=list, help_text="Rows of [mention, x0, y0, x1, y1], in the order of trying them.")
    chains = models.JSONField(default=list, help_text="Lists of mentions that refer to the same, as the program says.")
    flags = models.JSONField(
        default=dict, db_default={}, help_text="Of a checked source: by a mention's number, why its chain has no box."
    )
    due = models.BooleanField(default=True)
    made_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("project", "program", "image")
        constraints = (
            models.UniqueConstraint(fields=["project", "program", "image"], name="model_prediction_once_per_image"),
        )
        indexes = (models.Index(fields=["project"], condition=Q(due=True), name="model_prediction_due"),)

    def __str__(self) -> str:
        return f"{self.program} on {self.image}"


class StateChange(models.Model):
    """One move of a project from a state to another, with who made it and when."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="state_changes")
    before = models.CharField(max_length=8, choices=choices(ProjectState))
    after = models.CharField(max_length=8, choices=choices(ProjectState))
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ("project", "id")

    def __str__(self) -> str:
        return f"{self.project}: {self.before} to {self.after}"
