"""Call that returns what a check has changed of a data set's labels."""

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import Scope
from projects.api.calls import LinesRenderer, RequesterCall, refusals
from projects.corrected.change_rows import lines_of
from projects.corrected.changes import NothingCheckedError, source_of


class ChangesCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it
    renderer_classes = (JSONRenderer, LinesRenderer)

    @extend_schema(operation_id="changes", responses={(200, "application/jsonl"): OpenApiTypes.BINARY, **refusals(404)})
    def get(self, request: Request, project: str) -> HttpResponseBase:
        """Download what a check has changed: one JSON object a line, as the command `changes` writes them."""
        found = self.project(project, Action.READ_RECORD, of_six_tasks=True)
        try:
            source_of(found)
        except NothingCheckedError as error:
            raise NotFound(str(error)) from error
        record(Kind.EXPORT, f"changes of {found.name}")
        return StreamingHttpResponse(lines_of(found), content_type="application/jsonl; charset=utf-8")
