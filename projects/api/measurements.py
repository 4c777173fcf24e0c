"""Calls on measurements of programs: begin one, see how far it is, read its figures, stop it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from labelling.api.survey_shapes import Shape
from projects.api.calls import RequesterCall, refusals
from projects.api.forecasts import FORECAST_STATES, EstimateShape, StopShape
from projects.long_work import BusyError, stop
from projects.models import ModelMeasurement
from projects.predictions.measure.measurements import conclusion, settled
from projects.predictions.measure.work import NotMeasurableError, begin_measurement
from workers.models import Worker

SHOWN = 20
"""The newest measurements that a list shows."""
PLAIN = ("images", "with_gold", "pre_annotated", "kept", "unused", "currency")


class MeasuredProgramShape(Shape):
    program = serializers.CharField(help_text="The name of a program with predictions in the project.")


class MeasurementShape(MeasuredProgramShape):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=FORECAST_STATES)
    done = serializers.IntegerField(help_text="Images copied and finished so far, in both copies.")
    total = serializers.IntegerField()
    doing = serializers.CharField(help_text="What is being done, in words.")
    problem = serializers.CharField(help_text="Why it failed.")
    settings_version = serializers.IntegerField(help_text="The version of the settings that both copies have.")


class MeasuredFigureShape(Shape):
    without = serializers.FloatField(allow_null=True, help_text="In the copy without predictions. Shares are 0 to 1.")
    with_program = serializers.FloatField(allow_null=True, help_text="In the copy with the program's predictions.")
    change = EstimateShape(
        allow_null=True,
        help_text="Of answers, hours and cents a share of what they are without; of a share the difference.",
    )


class MeasurementResultShape(Shape):
    words = serializers.CharField(help_text="The conclusion.")
    images = serializers.IntegerField()
    with_gold = serializers.IntegerField(help_text="Images whose right answers are gold; else workers found them.")
    pre_annotated = serializers.IntegerField(help_text="Boxes of the program that were tried.")
    kept = serializers.IntegerField()
    unused = serializers.ListField(child=serializers.CharField(), help_text="Why boxes or links count for nothing.")
    currency = serializers.CharField()
    figures = serializers.DictField(
        child=MeasuredFigureShape(),
        help_text="answers, linking and boxing of them, hours, cents, review; boxes_right, boxes_found, chains_exact.",
    )


class MeasurementWithResultShape(MeasurementShape):
    result = MeasurementResultShape(allow_null=True, help_text="Null until the state is done. All of it is simulated.")


class MeasurementsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="measurements", responses={200: MeasurementShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the newest measurements of programs, the newest first, without their figures."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        rows = found.model_measurements.select_related("program").defer("values").order_by("-id")[:SHOWN]
        return Response([_as_json(one) for one in rows])

    @extend_schema(
        operation_id="begin_measurement",
        request=MeasuredProgramShape,
        responses={201: MeasurementShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Measure a program: simulated workers annotate known images with it and without it. One at a time."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        name = self.read(MeasuredProgramShape)["program"]
        program = Worker.objects.filter(name=name, model_predictions__project=found).first()
        try:
            made = begin_measurement(found, program, self.user)
        except NotMeasurableError as error:
            raise ValidationError(str(error)) from error
        except BusyError as error:
            return Response({"code": "busy_measuring", "message": str(error)}, status=409)
        return Response(_as_json(made), status=201)


class MeasurementCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(operation_id="measurement", responses={200: MeasurementWithResultShape, **refusals(404)})
    def get(self, request: Request, project: str, measurement_id: int) -> Response:
        """Tell how far a measurement is; when it is done, its figures with 90 % intervals. All of it is simulated."""
        one = _one(self, project, measurement_id)
        settled(one)  # which tells that it failed, if its process did
        return Response({**_as_json(one), "result": _result(one)})

    @extend_schema(
        operation_id="steer_measurement",
        request=StopShape,
        responses={200: MeasurementShape, **refusals(404)},
    )
    def post(self, request: Request, project: str, measurement_id: int) -> Response:
        """Stop a measurement, which leaves no copies. One that ended stays as it is."""
        one = _one(self, project, measurement_id)
        self.read(StopShape)
        stop(one)
        one.refresh_from_db()
        settled(one)
        return Response(_as_json(one))


def _one(call: RequesterCall, project: str, measurement_id: int) -> ModelMeasurement:
    found = call.project(project, Action.MANAGE, of_six_tasks=True)
    return call.row(found.model_measurements.all(), measurement_id, "measurement")


def _as_json(one: ModelMeasurement) -> dict[str, Any]:
    names = ("id", "state", "done", "total", "doing", "problem", "settings_version")
    return {"program": one.program.name} | {name: getattr(one, name) for name in names}


def _result(one: ModelMeasurement) -> dict[str, Any] | None:
    if one.state != ModelMeasurement.State.DONE:
        return None
    figures = {name: _figure(figure) for name, figure in one.values["figures"].items()}
    words = conclusion(one.program.name, one.values)
    return {name: one.values[name] for name in PLAIN} | {"words": words, "figures": figures}


def _figure(figure: dict[str, Any]) -> dict[str, Any]:
    change = figure["change"]
    return {
        "without": _number(figure["without"]),
        "with_program": _number(figure["with"]),
        "change": None if change is None else dict(zip(("value", "low", "high"), change, strict=True)),
    }


def _number(value: float | list[float]) -> float | None:
    """Return a sum as it is, and a share as a number; None if there is nothing that it is a share of."""
    if isinstance(value, list):
        part, whole = value
        return part / whole if whole else None
    return value
