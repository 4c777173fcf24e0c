"""The shapes of the API: serializers check what callers send, and describe what the API returns."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labelling.api.answer_fields import ANSWER, AnswerField, BoxField
from labelling.task_status import TaskState
from pipeline.models import Assignment, Skip
from pipeline.models.work import COMMENT_LENGTH
from pipeline.rules.tasks.task import Task

DRAFT_BYTES = 64 * 1024
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


@extend_schema_field({"description": "Any JSON of at most 64 kB; only the page reads it.", "nullable": True})
class DraftField(serializers.JSONField):
    def to_internal_value(self, data: Any) -> Any:
        try:
            written = json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise serializers.ValidationError("The draft contains a character that is not valid Unicode.") from error
        if len(written) > DRAFT_BYTES:
            raise serializers.ValidationError(f"A draft has at most {DRAFT_BYTES // 1024} kB.")
        if b"\\u0000" in written:
            raise serializers.ValidationError("The draft contains a NUL character.")
        return data


class Shape(serializers.Serializer[Any]):
    # A serializer of plain values. No docstring here: every shape would inherit it as its description.
    pass


# --- Returned by the API ---


class ImageShape(Shape):
    url = serializers.CharField(help_text="The picture with at most 1600 pixels on its longest side.")
    full_url = serializers.CharField(help_text="The picture in full size.")
    width = serializers.IntegerField(help_text="Of the upright image, in pixels. Boxes refer to these pixels.")
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
    kind = serializers.ChoiceField(choices=Assignment.Kind.values, help_text="Work, or a qualification test.")
    state = serializers.ChoiceField(choices=Assignment.State.values)
    seconds_left = serializers.FloatField(help_text="Until the lease ends; 0 once it has run out.")
    reward_cents = serializers.IntegerField(help_text="For the whole assignment; 0: unpaid.")
    currency = serializers.CharField()
    draft = DraftField(allow_null=True)
    questions = QuestionShape(many=True)


class WorkShape(Shape):
    assignment = AssignmentShape(allow_null=True)
    message = serializers.CharField(help_text="Why there is no assignment.", allow_blank=True)


class LeaseShape(Shape):
    seconds_left = serializers.FloatField()
    bearer = serializers.CharField(help_text="A fresh token: use this one from now on.", allow_null=True)


class TestShape(Shape):
    right = serializers.IntegerField()
    asked = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.BooleanField()


class SessionShape(Shape):
    done = serializers.IntegerField(help_text="Assignments submitted in the session.")
    least = serializers.IntegerField(help_text="Assignments that the session needs.")
    quota = serializers.IntegerField(help_text="Assignments that the session may have.")


class ReceiptShape(Shape):
    stored = serializers.IntegerField()
    too_late = serializers.ListField(
        child=serializers.IntegerField(), help_text="The places, from 0, of the questions answered too late."
    )
    skipped = serializers.IntegerField()
    repeated = serializers.BooleanField()
    message = serializers.CharField(allow_blank=True)
    earned_cents = serializers.IntegerField()
    test = TestShape(allow_null=True, help_text="The result of a qualification test.")
    session = SessionShape(allow_null=True, help_text="The progress of the session, on a platform.")


class FinishedShape(Shape):
    finished = serializers.BooleanField()


class ReturnedShape(Shape):
    returned = serializers.BooleanField(help_text="False: the assignment had already ended.")


class MessageShape(Shape):
    message = serializers.CharField()


class ErrorShape(Shape):
    code = serializers.CharField()
    message = serializers.CharField(help_text="What went wrong, in words for the worker.")


class OfferShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    label = serializers.CharField()  # type: ignore[assignment]  # a field's own label is set in Meta, not here
    state = serializers.ChoiceField(choices=[state.value for state in TaskState])
    open = serializers.IntegerField(help_text="Questions open to you, at most 1000.")
    more = serializers.BooleanField(help_text="More than 1000 questions are open to you.")
    reward_cents = serializers.IntegerField()
    currency = serializers.CharField()
    questions = serializers.IntegerField(help_text="Per assignment.")
    seconds = serializers.FloatField(help_text="How long an assignment takes, roughly.")
    held = serializers.BooleanField(help_text="You hold an assignment: asking for work returns it.")
    message = serializers.CharField(allow_blank=True, help_text="Why no question is open.")


# --- Sent by callers ---


class TaskShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])


class DraftShape(Shape):
    draft = DraftField(allow_null=True)


class ReplyShape(Shape):
    """An answer, or a reason to skip the question."""

    answer = AnswerField(required=False)
    seconds = serializers.FloatField(required=False, allow_null=True, min_value=0)
    comment = serializers.CharField(required=False, allow_blank=True, max_length=COMMENT_LENGTH)
    skip = serializers.ChoiceField(required=False, choices=Skip.Reason.values)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("answer" in attrs) == ("skip" in attrs):
            raise serializers.ValidationError("Send either an answer or a reason to skip.")
        return attrs


@extend_schema_field({"type": "array", "items": REPLY})
class RepliesField(serializers.ListField):
    """One reply per question; null: the question is left out."""


class SubmissionShape(Shape):
    answers = RepliesField(
        child=ReplyShape(allow_null=True), max_length=MOST_ANSWERS, help_text="One entry per question, in order."
    )


class ReportShape(Shape):
    question = serializers.IntegerField(
        min_value=0, max_value=99, help_text="The place of the question in the assignment, from 0."
    )
    what = serializers.ChoiceField(choices=["mention", "caption", "image"])
    number = serializers.IntegerField(
        required=False, allow_null=True, help_text="The number of the mention or caption; null for the image."
    )
    comment = serializers.CharField(required=False, allow_blank=True, max_length=500)
