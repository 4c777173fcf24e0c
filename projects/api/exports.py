"""Calls on exports: ask for an archive, look whether it is there, download it."""

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from annotation.models import Project
from annotation.storage import store
from exchange.jobs import ask_for
from exchange.publish_export import Archive, record_state
from exchange.registry import export_formats
from labelling.api.survey_shapes import Shape
from projects.api.calls import RequesterCall, ZipRenderer, refusals
from projects.gallery.access import needed_for, note_export
from runtime.models import JobRun


class ExportShape(Shape):
    format = serializers.ChoiceField(choices=export_formats())


class ExportStateShape(Shape):
    format = serializers.ChoiceField(choices=export_formats())
    record = serializers.CharField(help_text="The state of the record that the archive holds.")
    state = serializers.ChoiceField(choices=JobRun.State.values)
    problem = serializers.CharField()
    file = serializers.CharField(help_text="Address of the archive; empty while it is being made.")


class ExportsCall(RequesterCall):
    scopes = {"POST": Scope.EXPORT}  # noqa: RUF012  # the base class declares it

    @extend_schema(
        operation_id="make_export",
        request=ExportShape,
        responses={200: ExportStateShape, 202: ExportStateShape, **refusals(404)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Ask for an archive of the finished images as they are now; made once for each state of the record."""
        self.project(project, Action.EXPORT, of_six_tasks=True)
        export_format = self.read(ExportShape)["format"]
        found = self.project(project, needed_for(export_format))
        archive = Archive(found, export_format, record_state(found))
        run = None if archive.is_there() else ask_for(archive)
        return _answer(archive, run)


class ExportCall(RequesterCall):
    scopes = {"GET": Scope.EXPORT}  # noqa: RUF012

    @extend_schema(
        operation_id="export",
        responses={200: ExportStateShape, 202: ExportStateShape, **refusals(404)},
    )
    def get(self, request: Request, project: str, export_format: str, record: str) -> Response:
        """Look whether an archive is there."""
        archive = _archive(self, project, export_format, record)
        return _answer(archive, archive.run())


class ExportFileCall(RequesterCall):
    scopes = {"GET": Scope.EXPORT}  # noqa: RUF012
    renderer_classes = (JSONRenderer, ZipRenderer)

    @extend_schema(
        operation_id="export_file", responses={(200, "application/zip"): OpenApiTypes.BINARY, **refusals(404)}
    )
    def get(self, request: Request, project: str, export_format: str, record: str) -> HttpResponseBase:
        """Download an archive."""
        archive = _archive(self, project, export_format, record)
        if not archive.is_there():
            raise NotFound("There is no such archive yet: ask for it, and wait until its state is done.")
        note_export(archive.project, export_format)
        return store().delivery(
            request, archive.path, content_type="application/zip", filename=f"{archive.title}.zip", max_age=0
        )


def _archive(call: RequesterCall, project: str, export_format: str, record: str) -> Archive:
    if export_format not in export_formats():
        raise NotFound(f"There is no format {export_format!r}: choose one of {', '.join(export_formats())}.")
    found: Project = call.project(project, needed_for(export_format))
    archive = Archive(found, export_format, record)
    if not archive.is_there() and archive.run() is None:
        raise NotFound("Nobody asked for this archive: ask for it first.")
    return archive


def _answer(archive: Archive, run: JobRun | None) -> Response:
    there = archive.is_there()
    names = [archive.project.name, archive.export_format, archive.state]
    state = JobRun.State.DONE.value if there or run is None else run.state
    values = {
        "format": archive.export_format,
        "record": archive.state,
        "state": state,
        "problem": "" if there or run is None else run.problem,
        "file": reverse("requester_api:export_file", args=names) if there else "",
    }
    return Response(values, status=200 if there or state == JobRun.State.FAILED else 202)
