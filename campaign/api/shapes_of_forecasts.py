"""Shapes of the calls on forecasts: what is assumed, how far the work is, and figures with their intervals."""

from typing import Any

from rest_framework import serializers

from campaign.cost_prediction.forms import MOST_REPETITIONS, MOST_SAMPLE
from campaign.models import CampaignPrediction
from labelling.api.survey_shapes import Shape
from simulation.crowd import CROWDS
from simulation.link_crowd import WORKERS

STATES = list(CampaignPrediction.State.values)


class AssumedShape(Shape):
    crowd = serializers.ChoiceField(choices=sorted(CROWDS), default="paper", help_text="How simulated workers answer.")
    workers = serializers.IntegerField(
        min_value=1,
        max_value=WORKERS,
        default=None,
        allow_null=True,
        help_text="Workers who begin; without it those who are invited or at work, or else 20 newcomers.",
    )
    trusted = serializers.IntegerField(
        min_value=0,
        max_value=WORKERS,
        default=None,
        allow_null=True,
        help_text="Those among them who are trusted from the start, and take no test.",
    )
    bad_percent = serializers.IntegerField(min_value=0, max_value=90, default=0, help_text="Bad workers among them.")
    qualify = serializers.BooleanField(default=True, help_text="Off: all of them are trusted from the start.")
    sample = serializers.IntegerField(min_value=2, max_value=MOST_SAMPLE, default=30, help_text="Images to simulate.")
    repetitions = serializers.IntegerField(
        min_value=2, max_value=MOST_REPETITIONS, default=2, help_text="Times each is simulated."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["workers"] is not None and (attrs["trusted"] or 0) > attrs["workers"]:
            raise serializers.ValidationError({"trusted": "More are trusted than begin: name as many at most."})
        return attrs


class EstimateShape(Shape):
    value = serializers.FloatField()
    low = serializers.FloatField(help_text="The lower end of the 90 % interval.")
    high = serializers.FloatField(help_text="The upper end of the 90 % interval.")


class PartShape(Shape):
    judgments = serializers.FloatField()
    hours = serializers.FloatField()
    cents = serializers.FloatField()


class WayShape(Shape):
    words = serializers.ListField(child=serializers.CharField())
    changes = serializers.DictField(help_text="Settings that this way changes, by name; as PATCH settings/ takes them.")
    current = serializers.BooleanField(help_text="It asks as the project's settings do.")
    judgments = EstimateShape(help_text="Answers of every kind, with those to verification questions and tests.")
    hours = EstimateShape(help_text="Hours of work.")
    cents = EstimateShape()
    exact = EstimateShape(help_text="The share of exactly right chains, 0 to 1.")
    by_task = serializers.DictField(child=serializers.FloatField(), help_text="Answers to real questions by task.")
    known = serializers.FloatField(help_text="Answers to verification questions and in tests.")
    parts = serializers.DictField(
        child=PartShape(), help_text="What the answers are for: real and verification questions, probation, tests."
    )
    review = serializers.FloatField(help_text="Chains that need an expert.")
    admitted = serializers.DictField(
        child=serializers.FloatField(), help_text="The share of workers who are admitted, by task, 0 to 1."
    )


class ForecastResultShape(Shape):
    currency = serializers.CharField()
    images = serializers.IntegerField()
    finished = serializers.IntegerField(help_text="Images that were done: their answers count as they were.")
    sample = serializers.IntegerField()
    now = WayShape(help_text="The present settings.")
    ways = WayShape(many=True, help_text="Every way to ask that is registered.")


class ForecastShape(AssumedShape):
    workers = serializers.IntegerField(help_text="Workers who begin.")
    trusted = serializers.IntegerField(help_text="Those among them who are trusted from the start.")
    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=STATES)
    done = serializers.IntegerField(help_text="Images simulated so far, over all ways to ask.")
    total = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why it failed.")
    settings_version = serializers.IntegerField(help_text="The version of the settings that it began from.")


class ForecastWithResultShape(ForecastShape):
    result = ForecastResultShape(allow_null=True, help_text="Null until the state is done.")


class StopShape(Shape):
    wish = serializers.ChoiceField(choices=["stop"])
