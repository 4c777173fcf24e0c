"""The download of an archive, which has no JSON: the other calls on exports are operations."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from accounts.models import Scope
from exchange.publish_export import archive_called
from projects.api.calls import RequesterCall, ZipRenderer, refusals
from projects.gallery.access import needed_for
from projects.gallery.exports import deliver


class ExportFileCall(RequesterCall):
    scopes = {"GET": Scope.EXPORT}  # noqa: RUF012  # the base class declares it
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
