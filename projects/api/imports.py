"""Calls on imports: begin one, see how far it is, pause, resume and cancel it, read what it left out."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.may import Action
from accounts.models import Scope
from exchange.details import BoxUnit
from exchange.problems import SourceError
from labelling.api.survey_shapes import Shape
from projects.api.calls import FromShape, RequesterCall, refusals
from projects.data.runs import WISHES, begin_import, resume, standing, standings
from projects.data.sources import plain_problem
from projects.long_work import BusyError, stop
from projects.models import ImportRun, KnownUse
from projects.predictions.import_predictions import LONGEST_NAME, ProgramError
from projects.uploads.files import files_folder

SHOWN = 20
"""The newest imports that a list shows."""


class NewImportShape(Shape):
    source = serializers.CharField(  # type: ignore[assignment]  # a field's own source is set in Meta, not here
        required=False,
        default="",
        allow_blank=True,
        max_length=500,
        help_text="A folder on the server or an s3:// address that an administrator allows; empty: the uploaded files.",
    )
    use = serializers.ChoiceField(
        choices=KnownUse.choices,
        required=False,
        default=KnownUse.ANNOTATIONS.value,
        help_text="What becomes of known chains and boxes.",
    )
    program = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_NAME,
        help_text="The program whose pre-annotations they become; empty: named after the source.",
    )
    boxes = serializers.ChoiceField(
        choices=[one.value for one in BoxUnit],
        required=False,
        allow_blank=True,
        default="",
        help_text="The unit of the source's boxes: pixels, or shares of the picture from 0 to 1; empty: not said.",
    )


class ImportShape(Shape):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=ImportRun.Kind.values)
    state = serializers.ChoiceField(choices=ImportRun.State.values)
    wanted = serializers.CharField(help_text="A wish that is still to be met: pause, cancel, or empty.")
    done = serializers.IntegerField(help_text="Images that were looked at.")
    total = serializers.IntegerField(help_text="About as many images as there are.")
    images = serializers.IntegerField(help_text="Images that were imported.")
    already_there = serializers.IntegerField()
    left_out = serializers.IntegerField()
    without_phrases = serializers.IntegerField(help_text="Images whose phrases are still to be found.")
    note = serializers.CharField(help_text="What became of the source's pictures and of known chains and boxes.")
    problem = serializers.CharField(help_text="Why the import failed.")
    seconds = serializers.FloatField(help_text="Seconds since it began to work, or that it took.")


class WishShape(Shape):
    wish = serializers.ChoiceField(choices=["pause", "resume", "cancel"])


class LeftOutRowShape(Shape):
    id = serializers.IntegerField()
    image = serializers.CharField()
    file = serializers.CharField()
    line = serializers.IntegerField(allow_null=True)
    why = serializers.CharField()


class LeftOutShape(Shape):
    rows = LeftOutRowShape(many=True)
    after = serializers.IntegerField(allow_null=True, help_text="Ask for the next rows with it; null: no more.")


class ImportsCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012  # the base class declares it

    @extend_schema(operation_id="imports", responses={200: ImportShape(many=True), **refusals(404)})
    def get(self, request: Request, project: str) -> Response:
        """List the newest imports, the newest first, with other work on all images: new types, a copy."""
        found = self.project(project, Action.MANAGE)
        return Response([_named(one) for one in standings(list(found.import_runs.order_by("-id")[:SHOWN]))])

    @extend_schema(
        operation_id="begin_import",
        request=NewImportShape,
        responses={201: ImportShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str) -> Response:
        """Begin an import of the uploaded files, or of a folder or address on the server."""
        found = self.project(project, Action.MANAGE, of_six_tasks=True)
        asked = self.read(NewImportShape)
        try:
            how = {name: asked[name] for name in ("use", "program", "boxes")}
            run = begin_import(found, self.user, asked["source"], **how)
        except SourceError as error:
            raise ValidationError(plain_problem(error, files_folder(found.pk))) from error
        except ProgramError as error:
            raise ValidationError(str(error)) from error
        except BusyError as error:
            return Response({"code": "busy_importing", "message": str(error)}, status=409)
        return Response(_as_json(run), status=201)


class ImportCall(RequesterCall):
    scopes = {"GET": Scope.READ, "POST": Scope.WRITE}  # noqa: RUF012

    @extend_schema(operation_id="import", responses={200: ImportShape, **refusals(404)})
    def get(self, request: Request, project: str, run_id: int) -> Response:
        """Tell how far an import is."""
        return Response(_as_json(_run(self, project, run_id)))

    @extend_schema(
        operation_id="steer_import",
        request=WishShape,
        responses={200: ImportShape, **refusals(404, 409)},
    )
    def post(self, request: Request, project: str, run_id: int) -> Response:
        """Pause, resume or cancel an import. One that works stops after the present image."""
        run = _run(self, project, run_id)
        wish = self.read(WishShape)["wish"]
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
        parameters=[FromShape],
        responses={200: LeftOutShape, **refusals(404)},
    )
    def get(self, request: Request, project: str, run_id: int) -> Response:
        """Return what an import left out, with the reasons, after the row with the id `after`."""
        run = _run(self, project, run_id)
        page, after = self.page_of(run.problems.all())
        rows = [
            {"id": one.pk, "image": one.image, "file": one.file, "line": one.line, "why": one.message} for one in page
        ]
        return Response({"rows": rows, "after": after})


def _run(call: RequesterCall, project: str, run_id: int) -> ImportRun:
    return call.row(call.project(project, Action.MANAGE).import_runs.all(), run_id, "import")


def _as_json(run: ImportRun) -> dict[str, Any]:
    return _named(standing(run))


def _named(found: dict[str, Any]) -> dict[str, Any]:
    names = {"alreadyThere": "already_there", "leftOut": "left_out", "withoutPhrases": "without_phrases"}
    return {names.get(name, name): value for name, value in found.items() if name != "interrupted"}
