"""Calls on files: uploads in pieces, and downloads: an export's archive, votes of a survey, changes of a check."""

from collections.abc import Iterable, Mapping
from typing import IO, Any

from django.http import HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ParseError, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.events import Kind, record
from accounts.may import Action
from accounts.models import Scope
from annotation.models import Project
from exchange.publish_export import archive_called
from labelling.api.errors import PlainJSONParser
from labelling.api.serializers import Shape
from projects.api.operation_view import RequesterCall, refusals
from projects.corrected import changes
from projects.corrected.changes import NothingCheckedError, corrected_source
from projects.data.sources import summarize_uploads
from projects.gallery.access import deliver, needed_for
from projects.uploads.files import PIECE, OutOfPlaceError, UploadError, list_files, remove, take_piece
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
        return _lines("changes", found, changes.lines_of(found))


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


class FileShape(Shape):
    path = serializers.CharField()
    received = serializers.IntegerField(help_text="Bytes that are here. The next piece begins there.")
    size = serializers.IntegerField(help_text="Bytes of the whole file.")


class FilesShape(Shape):
    files = FileShape(many=True)
    format = serializers.CharField(help_text="What the complete files make; empty: nothing yet.")
    summary = serializers.CharField(help_text="Everything that is here, in sentences.")
    problem = serializers.CharField(help_text="Why the complete files cannot be imported yet; empty: they can.")
    piece_bytes = serializers.IntegerField(help_text="The most bytes of one piece.")


class PieceShape(Shape):
    path = serializers.CharField(max_length=1000, trim_whitespace=False, help_text="The file, with its folders.")
    offset = serializers.IntegerField(min_value=0, max_value=2**50, help_text="Where the piece begins, in bytes.")
    size = serializers.IntegerField(min_value=1, max_value=2**50, help_text="Bytes of the whole file.")


class WhichFileShape(Shape):
    path = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=1000, help_text="Empty: every file."
    )


class RefusedFileShape(Shape):
    code = serializers.CharField()
    message = serializers.CharField()
    why = serializers.CharField(required=False, help_text="The reason alone: it goes on after the path of the file.")


class OutOfPlaceShape(Shape):
    code = serializers.CharField()
    message = serializers.CharField()
    received = serializers.IntegerField(help_text="Go on from here.")
    complete = serializers.BooleanField(help_text="The whole file is here already.")


class PieceParser(BaseParser):
    """Reads a body of plain bytes, no longer than a piece."""

    media_type = "application/octet-stream"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        data = stream.read(PIECE + 1)
        if len(data) > PIECE:
            raise ParseError(f"A piece has at most {PIECE:,} bytes: send the file in more of them.")
        return data


class FilesCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE, "DELETE": Scope.WRITE}  # noqa: RUF012
    parser_classes = (PlainJSONParser, PieceParser)

    @extend_schema(operation_id="files", responses={200: FilesShape, **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the uploaded files: how far each is, and what they make together."""
        found = self.project(project, Action.MANAGE)
        files = list_files(found)
        rows = [{"path": file.path, "received": file.received, "size": file.size} for file in files]
        about = summarize_uploads(found, files)
        values = {"format": about["format"], "summary": about["said"], "problem": about["problem"]}
        return Response({"files": rows, **values, "piece_bytes": PIECE})

    @extend_schema(
        operation_id="upload_piece",
        parameters=[PieceShape],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: FileShape, **refusals(404), 400: RefusedFileShape, 409: OutOfPlaceShape},
    )
    def post(self, request: Request, project: str) -> Response:
        """Add a piece to a file: the body is its bytes. A piece that begins elsewhere is told where to begin."""
        found = self.project(project, Action.MANAGE)
        asked = self.read(PieceShape, request.query_params)
        if not isinstance(request.data, bytes):
            raise ValidationError("Send the piece as application/octet-stream.")
        path, data = asked["path"], request.data
        try:
            taken = take_piece(found, path, offset=asked["offset"], size=asked["size"], data=data)
        except OutOfPlaceError as error:
            where = {"received": error.received, "complete": error.complete}
            return Response({"code": "out_of_place", "message": str(error), **where}, status=409)
        except UploadError as error:
            return Response({"code": "invalid", "message": str(error), "why": error.why}, status=400)
        return Response({"path": taken.path, "received": taken.received, "size": taken.size})

    @extend_schema(operation_id="remove_files", parameters=[WhichFileShape], responses={204: None, **refusals(404)})
    def delete(self, request: Request, project: str) -> Response:
        """Remove one uploaded file, or all of them."""
        found = self.project(project, Action.MANAGE)
        try:
            remove(found, self.read(WhichFileShape, request.query_params)["path"])
        except UploadError as error:
            raise ValidationError(str(error)) from error
        return Response(status=204)
