"""Images that reviewers annotate themselves, so that known questions can be made from them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Image
from runtime import clock


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
