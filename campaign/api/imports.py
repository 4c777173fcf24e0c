"""Calls on imports: begin one, see how far it is, pause, resume and cancel it, read what it left out."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api import shapes, shapes_of_data
from campaign.api.calls import RequesterCall, refusals
from campaign.data.runs import WISHES, begin_import, resume, standing, standings
from campaign.data.sources import plain_problem
from campaign.data.uploads import files_folder
from campaign.long_work import BusyError, stop
from campaign.models import ImportRun
from exchange.problems import SourceError
from members.may import Action
from members.models import Scope

SHOWN = 20
"""The newest imports that a list shows."""
LARGEST_ID = 2**63 - 1


class ImportsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="imports", responses={200: shapes_of_data.ImportShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the newest imports, the newest first, with other work on all images: new types, a copy."""
        found = self.project(project, Action.MANAGE)
        return Response([_named(one) for one in standings(list(found.import_runs.order_by("-id")[:SHOWN]))])

    @extend_schema(
        operation_id="begin_import",
        request=shapes_of_data.NewImportShape,
        responses={201: shapes_of_data.ImportShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Begin an import of the uploaded files, or of a folder or address on the server."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        asked = self.read(shapes_of_data.NewImportShape)
        try:
            run = begin_import(found, self.user, asked["source"], gold=asked["gold"], boxes=asked["boxes"])
        except SourceError as error:
            raise ValidationError(plain_problem(error, files_folder(found.pk))) from error
        except BusyError as error:
            return Response({"code": "busy_importing", "message": str(error)}, status=409)
        return Response(_as_json(run), status=201)


class ImportCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(operation_id="import", responses={200: shapes_of_data.ImportShape, **refusals(404)})
    def get(self, request: Request, project: str, run_id: int) -> Response:
        """Tell how far an import is."""
        return Response(_as_json(_run(self, project, run_id)))

    @extend_schema(
        operation_id="steer_import",
        request=shapes_of_data.WishShape,
        responses={200: shapes_of_data.ImportShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str, run_id: int) -> Response:
        """Pause, resume or cancel an import. One that works stops after the present image."""
        run = _run(self, project, run_id)
        wish = self.read(shapes_of_data.WishShape)["wish"]
        try:
            stop(run, WISHES[wish]) if wish in WISHES else resume(run, self.user)
        except BusyError as error:
            return Response({"code": "busy_importing", "message": str(error)}, status=409)
        run.refresh_from_db()
        return Response(_as_json(run))


class LeftOutCall(RequesterCall):
    scopes = {"GET": Scope.READ}  # noqa: RUF012

    @extend_schema(
        operation_id="left_out",
        parameters=[shapes.FromShape],
        responses={200: shapes_of_data.LeftOutShape, **refusals(404)},
    )
    def get(self, request: Request, project: str, run_id: int) -> Response:
        """Return what an import left out, with the reasons, after the row with the id `after`."""
        run = _run(self, project, run_id)
        asked = self.read(shapes.FromShape, request.query_params)
        page = list(run.problems.filter(id__gt=asked["after"]).order_by("id")[: asked["most"]])
        rows = [
            {"id": one.pk, "image": one.image, "file": one.file, "line": one.line, "why": one.message} for one in page
        ]
        return Response({"rows": rows, "after": page[-1].pk if len(page) == asked["most"] else None})


def _run(call: RequesterCall, project: str, run_id: int) -> ImportRun:
    found = call.project(project, Action.MANAGE)
    run = ImportRun.objects.filter(project=found, pk=run_id).first() if run_id <= LARGEST_ID else None
    if run is None:
        raise NotFound("There is no such import in this project.")
    return run


def _as_json(run: ImportRun) -> dict[str, Any]:
    return _named(standing(run))


def _named(found: dict[str, Any]) -> dict[str, Any]:
    names = {"alreadyThere": "already_there", "leftOut": "left_out", "withoutPhrases": "without_phrases"}
    return {names.get(name, name): value for name, value in found.items() if name != "interrupted"}
