"""The votes of a survey, as a file."""

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from campaign.api.calls import RequesterCall, refusals
from campaign.api.streamed import LinesRenderer
from members.may import Action
from members.models import Scope
from surveys.votes import lines_of


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
