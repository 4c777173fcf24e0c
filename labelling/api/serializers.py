"""The API's shapes: what is read is checked by them, what is written is described by them."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labelling.task_status import TaskState
from pipeline.asking.check_answer import COMMENT_LENGTH
from pipeline.models import Assignment, Skip
from pipeline.rules.tasks.task import Task

DRAFT_BYTES = 64 * 1024
BOX = {"type": "array", "items": {"type": "integer"}, "minItems": 4, "maxItems": 4}
WORDS = ["same", "different", "true", "false", "good", "bad", "all there", "more needed"]
ANSWER = {
    "description": "What may be answered depends on the task.",
    "oneOf": [
        {"type": "string", "enum": WORDS},
        {"type": "integer", "enum": [1, 2, 3]},
        {"type": "object", "properties": {"box": BOX}, "required": ["box"], "additionalProperties": False},
        {
            "type": "object",
            "properties": {"none_missing": {"type": "boolean", "enum": [True]}},
            "required": ["none_missing"],
            "additionalProperties": False,
        },
    ],
}
REPLY = {
    "type": "object",
    "nullable": True,
    "description": "An answer, or a reason to skip; null: the question is left out.",
    "properties": {
        "answer": ANSWER,
        "seconds": {"type": "number", "minimum": 0, "nullable": True},
        "comment": {"type": "string", "maxLength": COMMENT_LENGTH},
        "skip": {"type": "string", "enum": Skip.Reason.values},
    },
}
MOST_ANSWERS = 100


@extend_schema_field(BOX)
class BoxField(serializers.ListField):
    """[x0, y0, x1, y1] in whole pixels of the upright image, half open."""


@extend_schema_field(ANSWER)
class AnswerField(serializers.JSONField):
    """Its shape is checked against the question's task, where the answer is stored."""


@extend_schema_field({"description": "The page's own, at most 64 kB.", "nullable": True})
class DraftField(serializers.JSONField):
    def to_internal_value(self, data: Any) -> Any:
        try:
            written = json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise serializers.ValidationError("PlatformState is a character in it that is none.") from error
        if len(written) > DRAFT_BYTES:
            raise serializers.ValidationError(f"A draft has at most {DRAFT_BYTES // 1024} kB.")
        if b"\\u0000" in written:
            raise serializers.ValidationError("PlatformState is a NUL character in it.")
        return data


class Shape(serializers.Serializer[Any]):
    """A serializer of plain values."""


# --- Sent by the server ---


class ImageShape(Shape):
    url = serializers.CharField(help_text="At most 1600 pixels on its longest side.")
    full_url = serializers.CharField(help_text="The whole picture.")
    width = serializers.IntegerField(help_text="Of the upright image: boxes are in its pixels.")
    height = serializers.IntegerField()


class PhraseShape(Shape):
    mention = serializers.IntegerField()
    start = serializers.IntegerField(help_text="In code points of the text.")
    end = serializers.IntegerField()


class CaptionShape(Shape):
    number = serializers.IntegerField()
    text = serializers.CharField()
    phrases = PhraseShape(many=True)


class QuestionShape(Shape):
    image = ImageShape()
    captions = CaptionShape(many=True)
    boxes = serializers.ListField(child=BoxField(child=serializers.IntegerField()))
    new_box = BoxField(child=serializers.IntegerField(), allow_null=True)


class ExampleShape(QuestionShape):
    answer = AnswerField()
    explanation = serializers.CharField(allow_blank=True)


class ExamplesShape(Shape):
    questions = ExampleShape(many=True)


class AssignmentShape(Shape):
    token = serializers.UUIDField()
    project = serializers.CharField()
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    kind = serializers.ChoiceField(choices=Assignment.Kind.values, help_text="A qualification test is told apart.")
    state = serializers.ChoiceField(choices=Assignment.State.values)
    seconds_left = serializers.FloatField(help_text="Of the lease; 0 when it has run out.")
    reward_cents = serializers.IntegerField(help_text="For all of it; 0: unpaid.")
    currency = serializers.CharField()
    draft = DraftField(allow_null=True)
    questions = QuestionShape(many=True)


class WorkShape(Shape):
    assignment = AssignmentShape(allow_null=True)
    message = serializers.CharField(help_text="Why there is none.", allow_blank=True)


class LeaseShape(Shape):
    seconds_left = serializers.FloatField()
    bearer = serializers.CharField(help_text="A fresh token to use from now on.", allow_null=True)


class TestShape(Shape):
    right = serializers.IntegerField()
    asked = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.BooleanField()


class SittingShape(Shape):
    done = serializers.IntegerField(help_text="Assignments that were handed in ...")
    least = serializers.IntegerField(help_text="... of so many that the session needs ...")
    quota = serializers.IntegerField(help_text="... and so many that it may have.")


class ReceiptShape(Shape):
    stored = serializers.IntegerField()
    too_late = serializers.ListField(child=serializers.IntegerField(), help_text="Places of the questions.")
    skipped = serializers.IntegerField()
    repeated = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    earned_cents = serializers.IntegerField()
    test = TestShape(allow_null=True, help_text="The result, if it was a qualification test.")
    session = SittingShape(allow_null=True, help_text="How far the session is, on a platform.")


class FinishedShape(Shape):
    finished = serializers.BooleanField()


class ReturnedShape(Shape):
    returned = serializers.BooleanField(help_text="False: it had ended already.")


class MessageShape(Shape):
    message = serializers.CharField()


class ErrorShape(Shape):
    code = serializers.CharField()
    message = serializers.CharField(help_text="In words that a worker understands.")


class OfferShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    label = serializers.CharField()  # type: ignore[assignment]  # a field's own label is set in Meta, not here
    state = serializers.ChoiceField(choices=[told.value for told in TaskState])
    open = serializers.IntegerField(help_text="Questions for you; at most 1000.")
    more = serializers.BooleanField(help_text="PlatformState are more than that.")
    reward_cents = serializers.IntegerField()
    currency = serializers.CharField()
    questions = serializers.IntegerField(help_text="Per assignment.")
    seconds = serializers.FloatField(help_text="About how long an assignment takes.")
    held = serializers.BooleanField(help_text="You have one already: asking gives it back.")
    message = serializers.CharField(allow_blank=True, help_text="Why nothing is open.")


# --- Sent to the server ---


class TaskShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])


class DraftShape(Shape):
    draft = DraftField(allow_null=True)


class ReplyShape(Shape):
    """An answer, or a reason why there is none."""

    answer = AnswerField(required=False)
    seconds = serializers.FloatField(required=False, allow_null=True, min_value=0)
    comment = serializers.CharField(required=False, allow_blank=True, max_length=COMMENT_LENGTH)
    skip = serializers.ChoiceField(required=False, choices=Skip.Reason.values)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("answer" in attrs) == ("skip" in attrs):
            raise serializers.ValidationError("Send an answer or a reason to skip, one of the two.")
        return attrs


@extend_schema_field({"type": "array", "items": REPLY})
class RepliesField(serializers.ListField):
    """One reply per question; null: left out."""


class SubmissionShape(Shape):
    answers = RepliesField(
        child=ReplyShape(allow_null=True), max_length=MOST_ANSWERS, help_text="One per question, in order."
    )


class ReportShape(Shape):
    question = serializers.IntegerField(min_value=0, max_value=99, help_text="Its place in the assignment.")
    what = serializers.ChoiceField(choices=["mention", "caption", "image"])
    number = serializers.IntegerField(required=False, allow_null=True, help_text="Of the mention or caption.")
    comment = serializers.CharField(required=False, allow_blank=True, max_length=500)
