"""Items of a survey that a requester gave, until they are imported."""

from django.db import models

from annotation.models import Project
from upkeep import clock


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
