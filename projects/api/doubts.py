"""Calls on the check of a data set: its state, and its labels, the most doubtful first."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from labelling.api.survey_shapes import Shape
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.checking.reasons import Why
from pipeline.project.settings_versions import checked_source
from projects.api.calls import RequesterCall, refusals
from projects.label_errors.doubt_rows import AT_ONCE, doubt_row
from projects.label_errors.state import check_state
from projects.label_errors.worst import Filters, told, worst
from projects.operation import LARGEST_ID

STANDINGS = [one.value for one in LabelStatus]


class DoubtsFromShape(Shape):
    skip = serializers.IntegerField(
        required=False, default=0, min_value=0, max_value=LARGEST_ID, help_text="More doubtful labels to pass over."
    )
    most = serializers.IntegerField(required=False, default=20, min_value=1, max_value=AT_ONCE)
    part = serializers.ChoiceField(
        required=False,
        default="",
        choices=[part.value for part in LabelPart],
        help_text="The part that is most in doubt.",
    )
    standing = serializers.ChoiceField(required=False, default="", choices=STANDINGS)


class ReasonShape(Shape):
    why = serializers.ChoiceField(choices=[why.value for why in Why])
    part = serializers.ChoiceField(choices=[part.value for part in LabelPart])
    words = serializers.CharField(help_text="The reason as a sentence.")
    chance = serializers.FloatField(required=False, help_text="Of what the sentence says, 0 to 1.")
    number = serializers.IntegerField(required=False, help_text="Boxes of the label, or people who answered so.")
    programs = serializers.IntegerField(
        required=False, help_text="Programs that say so, or the boxes that one of them found."
    )
    mention = serializers.IntegerField(required=False, help_text="A mention of the label.")
    other = serializers.IntegerField(required=False, help_text="A mention of another label, or another of this one.")
    types = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="The types that the dictionaries have."
    )


class RightShape(Shape):
    mentions = serializers.FloatField()
    boxes = serializers.FloatField(help_text="Given that the label needs boxes.")
    flag = serializers.FloatField()


class DoubtShape(Shape):
    image = serializers.CharField(help_text="Name of the image.")
    chain = serializers.IntegerField(help_text="The number of its first mention.")
    mentions = serializers.ListField(child=serializers.IntegerField())
    phrases = serializers.ListField(child=serializers.CharField(), help_text="The words of its mentions.")
    boxes = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="[x0, y0, x1, y1] in pixels."
    )
    flag = serializers.CharField(help_text="The reason for having no box: “scene”, “no box”, or empty.")
    standing = serializers.ChoiceField(choices=STANDINGS)
    doubt = serializers.FloatField(help_text="The chance that the label is wrong, 0 to 1.")
    right = RightShape(help_text="The chances that its parts are right, 0 to 1.")
    reasons = ReasonShape(many=True)


class DoubtsShape(Shape):
    data_set = serializers.CharField(help_text="The data set that is checked, by its name as a program.")
    labels = serializers.IntegerField()
    in_question = serializers.IntegerField()
    changed = serializers.IntegerField()
    expected_wrong = serializers.FloatField(help_text="Labels that are expected to be wrong: the sum of all doubts.")
    low = serializers.FloatField(help_text="The low end of its 90 % interval, as the chances of the labels have it.")
    high = serializers.FloatField()
    doubts = DoubtShape(many=True, help_text="The most doubtful labels first.")
    skip = serializers.IntegerField(allow_null=True, help_text="Ask for the next labels with it; null: no more.")


class DoubtsCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="doubts", parameters=[DoubtsFromShape], responses={200: DoubtsShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return the state of the check of a data set, and its labels, the most doubtful first."""
        found = self.project(project, Action.REVIEW, of_six_tasks=True)
        source = checked_source(found.pk)
        if not source:
            raise NotFound("This project checks no data set: import one to check it.")
        asked = self.read(DoubtsFromShape, request.query_params)
        first, most = asked["skip"], asked["most"]
        rows = list(worst(found, Filters(asked["part"], asked["standing"]))[first : first + most + 1])
        state = check_state(found, source)
        return Response(
            {
                "data_set": state.source,
                "labels": state.labels,
                "in_question": state.in_question,
                "changed": state.changed,
                "expected_wrong": state.expected.wrong,
                "low": state.expected.low,
                "high": state.expected.high,
                "doubts": [doubt_row(one) for one in told(found, rows[:most])],
                "skip": first + most if len(rows) > most else None,
            }
        )
