"""Files that requesters uploaded, items of a survey that wait, and what imports left out."""

from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.db import models

from annotation.models import Project
from projects.models.long_work import Run
from runtime import clock


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
