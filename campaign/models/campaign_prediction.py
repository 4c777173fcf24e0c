"""Predictions: what a project will cost and give, simulated before anything is paid and while it runs."""

from django.db import models
from django.db.models import Q

from annotation.models import Project
from campaign.models.long_work import LongWork, one_at_a_time


class CampaignPrediction(LongWork):
    """A simulated forecast of a project by each way to ask, from a sample of its images. Its steps are images."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="campaign_predictions")
    crowd = models.CharField(max_length=20, default="paper", help_text="The name of the simulated crowd.")
    workers = models.PositiveIntegerField(default=20, help_text="Workers who are expected.")
    trusted = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Those among them who are trusted from the start."
    )
    bad_percent = models.PositiveSmallIntegerField(default=0, help_text="The share of bad workers, in percent.")
    qualify = models.BooleanField(default=True, help_text="Off: all workers are trusted from the start.")
    sample = models.PositiveIntegerField(default=30, help_text="Images that are simulated.")
    repetitions = models.PositiveSmallIntegerField(default=2, help_text="Times that each image is simulated.")
    seed = models.PositiveIntegerField(default=0)
    settings_version = models.PositiveIntegerField(help_text="The version of the settings that it began from.")
    # JSON and no table: written once, with the end, and read whole. The cost: the database does not check its shape.
    values = models.JSONField(default=dict, help_text="The forecast of each way to ask.")

    CALLED = "campaign.cost_prediction"

    class Meta:
        ordering = ("project", "-id")
        constraints = (
            *one_at_a_time("campaign_prediction"),
            models.CheckConstraint(condition=Q(bad_percent__lte=90), name="campaign_prediction_workers_are_good"),
        )

    def __str__(self) -> str:
        return f"prediction {self.pk} of {self.project}"

    @property
    def all_trusted(self) -> int:
        """The number of workers who are trusted from the start."""
        return min(self.trusted, self.workers) if self.qualify else self.workers

    @property
    def newcomers(self) -> int:
        """The number of workers who take the test and probation."""
        return self.workers - self.all_trusted
