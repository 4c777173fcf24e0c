"""Calls on forecasts of a project's cost and quality: begin one, see how far it is, read its figures, stop it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api import shapes_of_forecasts as shapes
from campaign.api.calls import RequesterCall, refusals
from campaign.api.imports import LARGEST_ID
from campaign.cost_prediction.expected import who_works
from campaign.cost_prediction.work import predict_job
from campaign.long_work import BusyError, begin, standing, stop
from campaign.models import CampaignPrediction
from members.may import Action
from members.models import Scope
from pipeline.project.settings_versions import current_settings

SHOWN = 20
"""The newest forecasts that a list shows."""
ASSUMED = ("crowd", "workers", "bad_percent", "trusted", "qualify", "sample", "repetitions")
FIGURES = ("judgments", "hours", "cents", "exact")
PLAIN = ("words", "changes", "current", "by_task", "known", "review", "admitted")
PART = ("judgments", "hours", "cents")


class ForecastsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="forecasts", responses={200: shapes.ForecastShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the newest forecasts, the newest first, without their figures."""
        found = self.project(project, Action.MANAGE)
        newest = found.campaign_predictions.defer("values").order_by("-id")[:SHOWN]
        return Response([_as_json(one) for one in newest])

    @extend_schema(
        operation_id="begin_forecast",
        request=shapes.AssumedShape,
        responses={201: shapes.ForecastShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Begin a forecast: a simulated crowd works on a sample of the project's images. One at a time."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        assumed = self.read(shapes.AssumedShape)
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

    @extend_schema(operation_id="forecast", responses={200: shapes.ForecastWithResultShape, **refusals(404)})
    def get(self, request: Request, project: str, forecast_id: int) -> Response:
        """Tell how far a forecast is; when it is done, its figures with 90 % intervals. All of it is simulated."""
        one = _one(self, project, forecast_id)
        standing(one)  # which tells that it failed, if its process did
        return Response({**_as_json(one), "result": _result(one)})

    @extend_schema(
        operation_id="steer_forecast",
        request=shapes.StopShape,
        responses={200: shapes.ForecastShape, **refusals(404)},
    )
    def post(self, request: Request, project: str, forecast_id: int) -> Response:
        """Stop a forecast. One that works stops after the present image; one that ended stays as it is."""
        one = _one(self, project, forecast_id)
        self.read(shapes.StopShape)
        stop(one)
        one.refresh_from_db()
        return Response(_as_json(one))


def _one(call: RequesterCall, project: str, forecast_id: int) -> CampaignPrediction:
    found = call.project(project, Action.MANAGE)
    one = found.campaign_predictions.filter(pk=forecast_id).first() if forecast_id <= LARGEST_ID else None
    if one is None:
        raise NotFound("There is no such forecast in this project.")
    return one


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
