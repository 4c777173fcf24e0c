"""Calls on predictions: send what a program predicts, and read how good it is and what its boxes saved."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api import shapes_of_data
from campaign.api.calls import RequesterCall, refusals
from campaign.predictions.enter_predictions import enter_soon
from campaign.predictions.import_predictions import PredictionError, take_predictions
from campaign.predictions.scores import Program, programs
from members.may import Action
from members.models import Scope
from pipeline.project.settings_versions import current_settings


class PredictionsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="programs", responses={200: shapes_of_data.ProgramShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the programs with predictions, their scores, and what came of their boxes."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        return Response([_as_json(one) for one in programs(found, current_settings(found.pk)[1])])

    @extend_schema(
        operation_id="predict",
        request=shapes_of_data.NewPredictionsShape,
        responses={200: shapes_of_data.KeptPredictionsShape, **refusals(404)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Take predictions of a program: all of them or none. All rows of an image must come in one call."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        asked = self.read(shapes_of_data.NewPredictionsShape)
        by = self.user.get_username()
        # With the fields that the shape does not know, so that a misspelt one is named and not passed over.
        sent = cast(dict[str, Any], self.request.data)["predictions"]
        given = zip(sent, asked["predictions"], strict=True)
        try:
            kept = take_predictions(found, asked["program"], [{**row, **read} for row, read in given], by=by)
        except PredictionError as error:
            raise ValidationError(str(error)) from error
        enter_soon(found.pk)
        told = kept._asdict()
        del told["unused"], told["beyond"]
        return Response(told)


def _as_json(one: Program) -> dict[str, Any]:
    scores = [
        {
            "task": each.task.value,
            "right": each.score.right,
            "total": each.score.total,
            "low": each.quality.low if each.quality else 0.0,
            "high": each.quality.high if each.quality else 1.0,
            "of": each.quality.basis.value if each.quality else "",
            "minimum": each.minimum,
            "standing": each.standing.value,
        }
        for each in one.scores
    ]
    counts = {"proposed": one.proposed, "accepted": one.accepted, "bad": one.bad}
    return {"program": one.name, "images": one.images, "due": one.due, "scores": scores, **counts}
