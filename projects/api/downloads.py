"""Downloads of the API, which are no JSON: an archive of an export, votes of a survey, and the changes of a check."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import Scope
from annotation.models import Project
from exchange.publish_export import archive_called
from projects.api.calls import RequesterCall, refusals
from projects.corrected import change_rows
from projects.corrected.changes import NothingCheckedError, corrected_source
from projects.gallery.access import needed_for
from projects.gallery.exports import deliver
from surveys import votes


class ZipRenderer(BaseRenderer):
    """Lets a caller ask for `application/zip`. Renders refusals only, as JSON."""

    media_type, format = "application/zip", "zip"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return bytes(JSONRenderer().render(data))


class LinesRenderer(ZipRenderer):
    """Lets a caller ask for `application/jsonl`."""

    media_type, format = "application/jsonl", "jsonl"


class LinesCall(RequesterCall):
    scopes = {"GET": Scope.JUDGMENTS}  # noqa: RUF012  # the base class declares it
    renderer_classes = (JSONRenderer, LinesRenderer)


def _lines(what: str, project: Project, lines: Iterable[str]) -> HttpResponseBase:
    record(Kind.EXPORT, f"{what} of {project.name}")
    return StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")


class VotesCall(LinesCall):
    @extend_schema(operation_id="votes", responses={(200, "application/jsonl"): OpenApiTypes.BINARY, **refusals(404)})
    def get(self, request: Request, project: str) -> HttpResponseBase:
        """Download the votes of a survey: one JSON object a line, as `survey_export` writes them."""
        found = self.project(project, Action.READ_RECORD)
        if not found.survey:
            raise NotFound("This project is not a survey: its answers are at judgments/.")
        return _lines("votes", found, votes.lines_of(found))


class ChangesCall(LinesCall):
    @extend_schema(operation_id="changes", responses={(200, "application/jsonl"): OpenApiTypes.BINARY, **refusals(404)})
    def get(self, request: Request, project: str) -> HttpResponseBase:
        """Download what a check has changed: one JSON object a line, as the command `changes` writes them."""
        found = self.project(project, Action.READ_RECORD, of_six_tasks=True)
        try:
            corrected_source(found)
        except NothingCheckedError as error:
            raise NotFound(str(error)) from error
        return _lines("changes", found, change_rows.lines_of(found))


class ExportFileCall(RequesterCall):
    scopes = {"GET": Scope.EXPORT}  # noqa: RUF012
    renderer_classes = (JSONRenderer, ZipRenderer)

    @extend_schema(
        operation_id="export_file", responses={(200, "application/zip"): OpenApiTypes.BINARY, **refusals(404)}
    )
    def get(self, request: Request, project: str, export_format: str, record: str) -> HttpResponseBase:
        """Download an archive."""
        archive = archive_called(self.project(project, needed_for(export_format)), export_format, record)
        if archive is None or not archive.is_there():
            raise NotFound("There is no such archive yet: ask for it, and wait until its state is done.")
        return deliver(request, archive)
