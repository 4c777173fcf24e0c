"""Calls on forecasts of a project's cost and quality: begin one, see how far it is, read its figures, stop it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from labelling.api.survey_shapes import Shape
from pipeline.project.settings_versions import current_settings
from projects.api.calls import RequesterCall, refusals
from projects.forecast.expected import who_works
from projects.forecast.forms import MOST_REPETITIONS, MOST_SAMPLE
from projects.forecast.work import predict_job
from projects.long_work import BusyError, begin, standing, stop
from projects.models import CampaignPrediction
from simulation.crowd import CROWDS
from simulation.link_crowd import WORKERS

SHOWN = 20
"""The newest forecasts that a list shows."""
FORECAST_STATES = CampaignPrediction.State.values
ASSUMED = ("crowd", "workers", "bad_percent", "trusted", "qualify", "sample", "repetitions")
FIGURES = ("judgments", "hours", "cents", "exact")
PLAIN = ("words", "changes", "current", "by_task", "known", "review", "admitted")
PART = ("judgments", "hours", "cents")


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
    state = serializers.ChoiceField(choices=FORECAST_STATES)
    done = serializers.IntegerField(help_text="Images simulated so far, over all ways to ask.")
    total = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why it failed.")
    settings_version = serializers.IntegerField(help_text="The version of the settings that it began from.")


class ForecastWithResultShape(ForecastShape):
    result = ForecastResultShape(allow_null=True, help_text="Null until the state is done.")


class StopShape(Shape):
    wish = serializers.ChoiceField(choices=["stop"])


class ForecastsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="forecasts", responses={200: ForecastShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the newest forecasts, the newest first, without their figures."""
        found = self.project(project, Action.MANAGE)
        newest = found.campaign_predictions.defer("values").order_by("-id")[:SHOWN]
        return Response([_as_json(one) for one in newest])

    @extend_schema(
        operation_id="begin_forecast",
        request=AssumedShape,
        responses={201: ForecastShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Begin a forecast: a simulated crowd works on a sample of the project's images. One at a time."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        assumed = self.read(AssumedShape)
        assumed |= who_works(found, assumed["workers"], assumed["trusted"])
        version = current_settings(found.pk)[0]
        try:
            made = begin(
                CampaignPrediction, predict_job, project=found, user=self.user, settings_version=version, **assumed
            )
        except BusyError as error:
            return Response({"code": "busy_forecasting", "message": str(error)}, status=409)
        return Response(_as_json(made), status=201)


class ForecastCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(operation_id="forecast", responses={200: ForecastWithResultShape, **refusals(404)})
    def get(self, request: Request, project: str, forecast_id: int) -> Response:
        """Tell how far a forecast is; when it is done, its figures with 90 % intervals. All of it is simulated."""
        one = _one(self, project, forecast_id)
        standing(one)  # which tells that it failed, if its process did
        return Response({**_as_json(one), "result": _result(one)})

    @extend_schema(
        operation_id="steer_forecast",
        request=StopShape,
        responses={200: ForecastShape, **refusals(404)},
    )
    def post(self, request: Request, project: str, forecast_id: int) -> Response:
        """Stop a forecast. One that works stops after the present image; one that ended stays as it is."""
        one = _one(self, project, forecast_id)
        self.read(StopShape)
        stop(one)
        one.refresh_from_db()
        return Response(_as_json(one))


def _one(call: RequesterCall, project: str, forecast_id: int) -> CampaignPrediction:
    return call.row(call.project(project, Action.MANAGE).campaign_predictions.all(), forecast_id, "forecast")


def _as_json(one: CampaignPrediction) -> dict[str, Any]:
    names = ("id", "state", "done", "total", "problem", "settings_version", *ASSUMED)
    return {name: getattr(one, name) for name in names}


def _result(one: CampaignPrediction) -> dict[str, Any] | None:
    if one.state != CampaignPrediction.State.DONE:
        return None
    values = one.values
    return {
        "currency": values["currency"],
        "images": values["images"],
        "finished": values.get("finished", 0),  # older forecasts do not say
        "sample": values["sample"],
        "now": _way(values["now"]),
        "ways": [_way(row) for row in values["options"]],
    }


def _way(row: dict[str, Any]) -> dict[str, Any]:
    figures = {name: dict(zip(("value", "low", "high"), row[name], strict=True)) for name in FIGURES}
    # Older forecasts do not say what the answers are for.
    parts = {name: dict(zip(PART, part, strict=True)) for name, part in row.get("parts", {}).items()}
    return {name: row[name] for name in PLAIN} | figures | {"parts": parts}
