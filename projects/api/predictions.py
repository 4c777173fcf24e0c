"""Calls on predictions: send what a program predicts, and read how good it is and what its boxes saved."""

from typing import Any, cast

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from evaluation.reading.predictions.box_forms import FORMS
from labelling.api.survey_shapes import Shape
from pipeline.known.prediction_score import ScoreStatus
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.api.calls import MOST_ROWS, RequesterCall, refusals
from projects.predictions.enter_predictions import enter_soon
from projects.predictions.import_predictions import PredictionError, take_predictions
from projects.predictions.scores import Program, programs

STANDINGS = [one.value for one in ScoreStatus]


class PredictionShape(Shape):
    image = serializers.CharField(
        max_length=500,
        help_text="Name of the image with or without the ending of its file, its path in the import, or its COCO id.",
    )
    caption = serializers.IntegerField(min_value=0, help_text="From 0.")
    phrase = serializers.CharField(required=False, help_text="The words of the phrase; or give `words`.")
    words = serializers.ListField(
        child=serializers.IntegerField(min_value=0), required=False, help_text="[first word, end) in the caption."
    )
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        required=False,
        help_text="The best one first; without a form [x0, y0, x1, y1] in pixels of the upright image.",
    )
    scores = serializers.ListField(
        child=serializers.FloatField(min_value=0, max_value=1),
        required=False,
        help_text="How sure the program is of each box, from 0 to 1.",
    )
    chain = serializers.CharField(required=False, help_text="The same for phrases that refer to the same.")


class NewPredictionsShape(Shape):
    program = serializers.CharField(max_length=100)
    boxes = serializers.ChoiceField(
        choices=FORMS,
        required=False,
        allow_blank=True,
        default="",
        help_text="The form of the boxes; empty: left, top, right, bottom in pixels.",
    )
    predictions = PredictionShape(many=True, allow_empty=False, max_length=MOST_ROWS)  # type: ignore[call-arg]  # of the list


class KeptPredictionsShape(Shape):
    images = serializers.IntegerField()
    boxes = serializers.IntegerField()
    chains = serializers.IntegerField()
    unchanged = serializers.IntegerField(help_text="Images that were predicted exactly so before.")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="Names that no image of the project has.")
    cut = serializers.IntegerField(help_text="Boxes that were cut at the edge of their picture.")
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="Boxes and phrases that cannot be used, with the reasons."
    )


class ProgramScoreShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    right = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Outcomes that are known, right or wrong.")
    low = serializers.FloatField(help_text="The low end of the 90 % interval of the share, 0 to 1.")
    high = serializers.FloatField()
    of = serializers.CharField(help_text="What the outcomes are of, such as “boxes that were tried”; empty: none yet.")
    minimum = serializers.FloatField()
    standing = serializers.ChoiceField(choices=STANDINGS)


class ProgramShape(Shape):
    program = serializers.CharField()
    images = serializers.IntegerField()
    due = serializers.IntegerField(help_text="Images whose predictions are still to be entered in the record.")
    scores = ProgramScoreShape(many=True)
    pre_annotated = serializers.IntegerField(help_text="Boxes that were or are judged instead of being drawn.")
    accepted = serializers.IntegerField()
    bad = serializers.IntegerField()


class PredictionsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="programs", responses={200: ProgramShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the programs with predictions, their scores, and what came of their boxes."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        return Response([_as_json(one) for one in programs(found, current_settings(found.pk)[1])])

    @extend_schema(
        operation_id="predict",
        request=NewPredictionsShape,
        responses={200: KeptPredictionsShape, **refusals(404)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Take predictions of a program, all of them or none; but boxes that cannot be used are cut or left out.

        All rows of an image must come in one call.
        """
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        asked = self.read(NewPredictionsShape)
        by = self.user.get_username()
        # With the fields that the shape does not know, so that a misspelt one is named and not passed over.
        sent = cast(dict[str, Any], self.request.data)["predictions"]
        given = zip(sent, asked["predictions"], strict=True)
        try:
            rows = [{**row, **read} for row, read in given]
            kept = take_predictions(found, asked["program"], rows, form=asked["boxes"], by=by)
        except PredictionError as error:
            raise ValidationError(str(error)) from error
        enter_soon(found.pk)
        told = kept._asdict()
        del told["unused"], told["beyond"], told["cut_off"]
        return Response(told)


def _as_json(one: Program) -> dict[str, Any]:
    scores = [
        {
            "task": each.task.value,
            "right": each.score.right,
            "total": each.score.total,
            "low": each.quality.share.low if each.quality else 0.0,
            "high": each.quality.share.high if each.quality else 1.0,
            "of": each.quality.basis.value if each.quality else "",
            "minimum": each.minimum,
            "standing": each.standing.value,
        }
        for each in one.scores
    ]
    counts = {"pre_annotated": one.pre_annotated, "accepted": one.accepted, "bad": one.bad}
    return {"program": one.name, "images": one.images, "due": one.due, "scores": scores, **counts}
