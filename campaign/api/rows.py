"""Calls that return rows page by page: judgments and the ledger, both with pseudonyms of workers."""

from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Mention
from campaign.api import shapes
from campaign.api.calls import LinesRenderer, RequesterCall, refusals
from exchange.jsonl.write import pseudonym
from members.may import Action
from members.models import Scope
from pipeline.models import Judgment, LedgerEntry
from pipeline.project.settings_versions import current_settings
from surveys.votes import lines_of


class JudgmentsCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it

    @extend_schema(
        operation_id="judgments", parameters=[shapes.FromShape], responses={200: shapes.JudgmentsShape, **refusals(404)}
    )
    def get(self, request: Request, project: str) -> Response:
        """Return judgments of real questions, oldest first, after the one with the id `after`."""
        found = self.project(project, Action.READ_RECORD)
        asked = self.read(shapes.FromShape, request.query_params)
        rows = Judgment.objects.filter(question__project=found, id__gt=asked["after"]).select_related("question__image")
        page = list(rows.order_by("id")[: asked["most"]])
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
        return Response({"judgments": values, "after": _next(page, asked["most"])})


class LedgerCall(RequesterCall):
    scopes = {"GET": Scope.LEDGER}  # noqa: RUF012

    @extend_schema(
        operation_id="ledger", parameters=[shapes.FromShape], responses={200: shapes.LedgerShape, **refusals(404)}
    )
    def get(self, request: Request, project: str) -> Response:
        """Return entries of the ledger, oldest first, after the one with the id `after`."""
        found = self.project(project, Action.MANAGE)
        asked = self.read(shapes.FromShape, request.query_params)
        rows = LedgerEntry.objects.filter(project=found, id__gt=asked["after"]).order_by("id")
        page = list(rows[: asked["most"]])
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
        return Response({"currency": settings.currency, "entries": values, "after": _next(page, asked["most"])})


def _phrases(page: list[Judgment]) -> dict[tuple[int, int], str]:
    """Return the words of the mentions of these judgments' images, by image and number."""
    images = {row.question.image_id for row in page if row.question is not None}
    rows = Mention.objects.filter(image_id__in=images).values_list("image_id", "number", "text")
    return {(image, number): text for image, number, text in rows}


def _next(page: list[Any], most: int) -> int | None:
    return page[-1].pk if len(page) == most else None


class VotesCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it
    renderer_classes = (JSONRenderer, LinesRenderer)

    @extend_schema(operation_id="votes", responses={(200, "application/jsonl"): OpenApiTypes.BINARY, **refusals(404)})
    def get(self, request: Request, project: str) -> HttpResponseBase:
        """Download the votes of a survey: one JSON object a line, as `survey_export` writes them."""
        found = self.project(project, Action.READ_RECORD)
        if not found.survey:
            raise NotFound("This project is not a survey: its answers are at judgments/.")
        return StreamingHttpResponse(lines_of(found), content_type="application/jsonl; charset=utf-8")
