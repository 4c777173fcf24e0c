"""Calls that return rows page by page: judgments and the ledger, both with pseudonyms of workers."""

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import Scope
from annotation.models import Mention
from exchange.jsonl.write import pseudonym
from labelling.api.survey_shapes import Shape
from pipeline.models import Judgment, LedgerEntry
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from projects.api.calls import FromShape, LinesRenderer, RequesterCall, refusals
from surveys.votes import lines_of


class JudgmentShape(Shape):
    id = serializers.IntegerField()
    image = serializers.CharField(help_text="Name of the image.")
    task = serializers.ChoiceField(choices=[task.value for task in Task])
    question = serializers.IntegerField()
    phrases = serializers.ListField(child=serializers.CharField(), help_text="The phrases that the question shows.")
    answer = serializers.JSONField()
    worker = serializers.CharField(help_text="A pseudonym, the same in the project's exports.")
    seconds = serializers.FloatField(allow_null=True)
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()


class JudgmentsShape(Shape):
    judgments = JudgmentShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class LedgerRowShape(Shape):
    id = serializers.IntegerField()
    worker = serializers.CharField(help_text="A pseudonym, the same in the project's exports.")
    kind = serializers.ChoiceField(choices=LedgerEntry.Kind.values)
    cents = serializers.IntegerField()
    reason = serializers.CharField()
    reference = serializers.CharField()
    created_at = serializers.DateTimeField()


class LedgerShape(Shape):
    currency = serializers.CharField()
    entries = LedgerRowShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class JudgmentsCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="judgments", parameters=[FromShape], responses={200: JudgmentsShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return judgments of real questions, oldest first, after the one with the id `after`."""
        found = self.project(project, Action.READ_RECORD)
        record(Kind.EXPORT, f"judgments of {found.name}")
        rows = Judgment.objects.filter(question__project=found).select_related("question__image")
        page, after = self.page_of(rows)
        said = _phrases(page)
        values = [
            {
                "id": row.pk,
                "image": row.question.image.name,
                "task": row.question.task,
                "question": row.question.number,
                "phrases": [said[row.question.image_id, mention[0]] for mention in row.question.shown["mentions"]],
                "answer": row.answer,
                "worker": pseudonym(found.pk, row.worker_id),
                "seconds": row.seconds,
                "comment": row.comment,
                "created_at": row.created_at,
            }
            for row in page
            if row.question is not None
        ]
        return Response({"judgments": values, "after": after})


class LedgerCall(RequesterCall):
    even_away = True
    scopes = {"GET": Scope.LEDGER}  # noqa: RUF012

    @extend_schema(operation_id="ledger", parameters=[FromShape], responses={200: LedgerShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """Return entries of the ledger, oldest first, after the one with the id `after`."""
        found = self.project(project, Action.MANAGE)
        record(Kind.EXPORT, f"ledger of {found.name}")
        page, after = self.page_of(LedgerEntry.objects.filter(project=found))
        values = [
            {
                "id": row.pk,
                "worker": pseudonym(found.pk, row.worker_id),
                "kind": row.kind,
                "cents": row.cents,
                "reason": row.reason,
                "reference": row.reference,
                "created_at": row.created_at,
            }
            for row in page
        ]
        _, settings = current_settings(found.pk)
        return Response({"currency": settings.currency, "entries": values, "after": after})


def _phrases(page: list[Judgment]) -> dict[tuple[int, int], str]:
    """Return the words of the mentions of these judgments' images, by image and number."""
    images = {row.question.image_id for row in page if row.question is not None}
    rows = Mention.objects.filter(image_id__in=images).values_list("image_id", "number", "text")
    return {(image, number): text for image, number, text in rows}


class VotesCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it
    renderer_classes = (JSONRenderer, LinesRenderer)

    @extend_schema(operation_id="votes", responses={(200, "application/jsonl"): OpenApiTypes.BINARY, **refusals(404)})
    def get(self, request: Request, project: str) -> HttpResponseBase:
        """Download the votes of a survey: one JSON object a line, as `survey_export` writes them."""
        found = self.project(project, Action.READ_RECORD)
        if not found.survey:
            raise NotFound("This project is not a survey: its answers are at judgments/.")
        record(Kind.EXPORT, f"votes of {found.name}")
        return StreamingHttpResponse(lines_of(found), content_type="application/jsonl; charset=utf-8")
