"""The shapes of the API: serializers check what callers send, and describe what the API returns."""

import json
from copy import deepcopy
from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, PolymorphicProxySerializer, extend_schema_field
from pydantic import TypeAdapter
from rest_framework import serializers

from labelling.models import LENGTH, Conversation
from labelling.open_tasks import TaskState
from pipeline.known.known_answer import Mistake
from pipeline.models import Assignment, Skip
from pipeline.models.work import COMMENT_LENGTH
from pipeline.protocol.tasks.answers import Edges, schema_of
from pipeline.protocol.tasks.survey import AtomCategory
from pipeline.protocol.tasks.task import Task
from workers.preferences import DrawBy


class Shape(serializers.Serializer[Any]):
    # A serializer of plain values. No docstring here: every shape would inherit it as its description.
    pass


class ImageShape(Shape):
    url = serializers.CharField(help_text="The picture with at most 1600 pixels on its longest side.")
    full_url = serializers.CharField(help_text="The picture in full size.")
    width = serializers.IntegerField(help_text="Of the upright image, in pixels. Boxes refer to these pixels.")
    height = serializers.IntegerField()


class AtomExampleShape(Shape):
    image = ImageShape()
    caption = serializers.CharField()


class CaptionSurveyShape(Shape):
    caption = serializers.CharField()
    words = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2),
        help_text="Where each word begins and ends, in code points of the caption. Answers count them from 0.",
    )


class AtomSurveyShape(Shape):
    atom = serializers.CharField()
    category = serializers.ChoiceField(choices=[category.value for category in AtomCategory])
    examples = AtomExampleShape(many=True)


@extend_schema_field(
    PolymorphicProxySerializer(
        component_name="Survey", serializers=[CaptionSurveyShape, AtomSurveyShape], resource_type_field_name=None
    )
)
class SurveyField(serializers.JSONField):
    """The question of a caption check, or of an atom."""


def openapi(schema: Any) -> Any:
    """A JSON schema as OpenAPI 3.0 writes it: without titles, and with an `enum` for a constant."""
    if isinstance(schema, list):
        return [openapi(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: openapi(value) for name, value in schema.items() if name not in ("title", "const")}
    return kept | ({"enum": [schema["const"]]} if "const" in schema else {})


NAMES = {task: "".join(word.title() for word in task.value.split("_")) + "Answer" for task in Task}
"""The component that describes the answers to a task."""
REFERENCES = {task: {"$ref": f"#/components/schemas/{name}"} for task, name in NAMES.items()}
ANSWER = {"$ref": "#/components/schemas/Answer"}
COMPONENTS: dict[str, dict[str, Any]] = {
    **{name: openapi(schema_of(task)) for task, name in NAMES.items()},
    "Answer": {"description": "The answers of the assignment's task.", "oneOf": list(REFERENCES.values())},
    "Answers": {
        "type": "object",
        "description": "The answers that each task takes, by the name of the task.",
        "properties": {task.value: reference for task, reference in REFERENCES.items()},
        "required": [task.value for task in Task],
    },
}


@extend_schema_field(openapi(TypeAdapter(Edges).json_schema()))
class BoxField(serializers.ListField):
    """[x0, y0, x1, y1] in whole pixels of the upright image, half open."""


class AnswerField(serializers.JSONField):
    """An answer to the assignment's task. `submit_assignment` checks it: only there the task is known."""


class AnswerFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Refers to the component `Answer`, and adds all components of answers to the schema."""

    target_class = AnswerField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, str]:
        # The generator writes into what it is given: it moves enums into components of their own.
        for name, schema in deepcopy(COMPONENTS).items():
            component = ResolvedComponent(name, ResolvedComponent.SCHEMA, schema, object=name)
            auto_schema.registry.register_on_missing(component)
        return ANSWER


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


# --- Returned by the API ---


class PhraseShape(Shape):
    mention = serializers.IntegerField()
    start = serializers.IntegerField(help_text="In code points of the text.")
    end = serializers.IntegerField()


class CaptionShape(Shape):
    number = serializers.IntegerField()
    text = serializers.CharField()
    phrases = PhraseShape(many=True)


class SweepShape(Shape):
    about = serializers.IntegerField(help_text="The mention that the others are compared with.")
    candidates = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="The other marked mentions, in reading order. The answer names some.",
    )
    preset = serializers.ListField(
        child=serializers.IntegerField(), help_text="The candidates that the page shows as touched at the beginning."
    )


class QuestionShape(Shape):
    image = ImageShape()
    language = serializers.CharField(help_text="Of the captions, as a BCP 47 tag; empty: unknown.", allow_blank=True)
    captions = CaptionShape(many=True, help_text="Those with a phrase that the question is about.")
    other_captions = CaptionShape(many=True, help_text="The image's other captions.")
    boxes = serializers.ListField(child=BoxField(child=serializers.IntegerField()))
    new_box = BoxField(child=serializers.IntegerField(), allow_null=True)
    survey = SurveyField(allow_null=True, help_text="What a survey asks about; null in the six tasks.")
    sweep = SweepShape(
        allow_null=True, help_text="Of a link with several candidates; null: of two mentions, or another task."
    )


class ExampleShape(QuestionShape):
    answer = AnswerField()
    explanation = serializers.CharField(allow_blank=True)
    missing = serializers.ListField(
        child=BoxField(child=serializers.IntegerField()),
        help_text="In box drawing: all boxes that are missing; each of them is right. Empty in other tasks.",
    )


class ExamplesShape(Shape):
    questions = ExampleShape(many=True)


class AssignmentShape(Shape):
    token = serializers.UUIDField()
    project = serializers.CharField()
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    kind = serializers.ChoiceField(choices=Assignment.Kind.values, help_text="Work, or a qualification test.")
    state = serializers.ChoiceField(choices=Assignment.State.values)
    seconds_left = serializers.FloatField(help_text="Until the lease ends; 0 once it has run out.")
    reward_cents = serializers.IntegerField(
        help_text="If every question is answered; each answered question earns its share. 0: unpaid."
    )
    currency = serializers.CharField()
    draft = DraftField(allow_null=True)
    questions = QuestionShape(many=True)


class WorkShape(Shape):
    assignment = AssignmentShape(allow_null=True)
    message = serializers.CharField(help_text="Why there is no assignment.", allow_blank=True)


class LeaseShape(Shape):
    seconds_left = serializers.FloatField()
    state = serializers.CharField(
        help_text="active, expired, submitted or returned. The last two: it ended elsewhere, as in another tab."
    )
    bearer = serializers.CharField(
        help_text="A fresh token: use this one from now on. null: go on with the one you have.", allow_null=True
    )


class TestShape(Shape):
    right = serializers.IntegerField()
    questions = serializers.IntegerField()
    needed = serializers.IntegerField()
    passed = serializers.BooleanField()
    mistakes = serializers.ListField(
        child=serializers.ChoiceField(choices=[mistake.value for mistake in Mistake]),
        help_text="Of a failed test: kinds of mistakes that you made more than once, in a fixed order.",
    )


class SessionShape(Shape):
    done = serializers.IntegerField(help_text="Assignments submitted in the session.")
    least = serializers.IntegerField(help_text="Assignments that the session needs.")
    quota = serializers.IntegerField(help_text="Assignments that the session may have.")


class ReceiptShape(Shape):
    stored = serializers.IntegerField()
    too_late = serializers.IntegerField(help_text="Answers that came too late: others had answered first.")
    skipped = serializers.IntegerField()
    repeated = serializers.BooleanField(help_text="The assignment had been submitted before: that submission counts.")
    differs = serializers.BooleanField(help_text="It had been submitted with other answers, which count.")
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
    open = serializers.IntegerField(help_text="Roughly how many are open to you: at least 1, or more than 20 to 1000.")
    more = serializers.BooleanField(help_text="More than `open` may be open.")
    reward_cents = serializers.IntegerField(help_text="For a full assignment, paid by answered question; 0: unpaid.")
    currency = serializers.CharField()
    questions = serializers.IntegerField(help_text="Per assignment.")
    seconds = serializers.FloatField(help_text="How long an assignment takes, roughly.")
    is_begun = serializers.BooleanField(help_text="You hold an assignment: asking for work returns it.")
    message = serializers.CharField(allow_blank=True, help_text="Why no question is open.")
    hourly_cents = serializers.IntegerField(help_text="What this pays by the hour, roughly; 0: unpaid or not measured.")


class PostShape(Shape):
    answer = serializers.BooleanField(help_text="The requester wrote it.")
    text = serializers.CharField()
    at = serializers.DateTimeField()
    read = serializers.BooleanField(help_text="The worker has read this answer.")


class ConversationShape(Shape):
    id = serializers.IntegerField()
    subject = serializers.ChoiceField(choices=Conversation.Subject.values)
    task = serializers.CharField(allow_blank=True)
    assignment = serializers.UUIDField(allow_null=True)
    waits = serializers.BooleanField(help_text="The requester has not answered yet.")
    posts = PostShape(many=True)


class ReadShape(Shape):
    read = serializers.IntegerField(help_text="How many answers were unread.")


# --- Sent by callers ---


class WriteShape(Shape):
    text = serializers.CharField(max_length=LENGTH)
    assignment = serializers.UUIDField(required=False, allow_null=True, help_text="The token of your assignment.")
    task = serializers.ChoiceField(
        required=False, choices=[task.value for task in Task], help_text="For your status in a task."
    )
    conversation = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**63 - 1, help_text="Go on with this one."
    )


class PreferencesShape(Shape):
    send_by_itself = serializers.BooleanField(help_text="Finished work is submitted without another key; never a test.")
    draw_by = serializers.ChoiceField(
        choices=[way.value for way in DrawBy], allow_null=True, help_text="null: the project's setting."
    )
    confirm_by_double_click = serializers.BooleanField(help_text="Not together with drawing by two clicks.")
    one_letter_keys = serializers.BooleanField(help_text="false: no letter, digit or sign acts on the labelling page.")
    language = serializers.ChoiceField(
        choices=[*dict(settings.LANGUAGES)], allow_blank=True, required=False, help_text="Of mail; empty: English."
    )


class TaskShape(Shape):
    task = serializers.ChoiceField(choices=[task.value for task in Task])


class TurnShape(Shape):
    after = serializers.ChoiceField(
        choices=[task.value for task in Task],
        required=False,
        help_text="The task that you have just done: you get only tasks that you can take up now, the next one first.",
    )


class AskShape(TaskShape):
    ahead_of = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="The token of the assignment that you still answer: you get the one after it. Ask again without it "
        "after submitting, to begin. What is not begun within ten minutes goes to others.",
    )
    count = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=200,
        help_text="Of a program: the number of questions that it wants at most. People get the project's number.",
    )


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
        required=False,
        allow_null=True,
        min_value=0,
        max_value=100_000,
        help_text="The number of the mention or caption; null for the image.",
    )
    comment = serializers.CharField(required=False, allow_blank=True, max_length=500)
