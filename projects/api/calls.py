"""The base of the requesters' calls: who calls, what their token allows, and which project they mean."""

from typing import Any, ClassVar, TypeVar, cast

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.parsers import BaseParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.views import APIView

from accounts.may import Action, projects_for
from accounts.models import RequesterToken, Scope
from accounts.token_authentication import AllowedByToken, RequesterTokenAuthentication, opened_by
from annotation.models import Project
from labelling.api import serializers as shapes
from labelling.api.parser import PlainJSONParser
from labelling.api.survey_shapes import Shape
from projects.operation import LARGEST_ID, Caller, Refused, find_project

MOST_ROWS = 1000
Row = TypeVar("Row", bound=Model)


class FromShape(Shape):
    after = serializers.IntegerField(required=False, default=0, min_value=0, max_value=LARGEST_ID)
    most = serializers.IntegerField(required=False, default=100, min_value=1, max_value=MOST_ROWS)


def refusals(*codes: int) -> dict[int, type[shapes.ErrorShape]]:
    """Return the error responses of a call: these and the ones that every call has."""
    return {code: shapes.ErrorShape for code in (*codes, 400, 401, 403, 503)}


class RequesterCall(APIView):
    """A call by a requester's program or page. `scopes` says by method what a token must allow."""

    authentication_classes = (RequesterTokenAuthentication, SessionAuthentication)
    permission_classes = (IsAuthenticated, AllowedByToken)
    parser_classes: tuple[type[BaseParser], ...] = (PlainJSONParser,)
    scopes: ClassVar[dict[str, Scope]] = {}
    even_away: ClassVar[bool] = False
    """On if the call needs none of the project's images, which may be in an archive."""

    @property
    def user(self) -> User:
        return cast(User, self.request.user)

    @property
    def token(self) -> RequesterToken | None:
        """The program's token; None: a page of the user."""
        return cast(RequesterToken | None, self.request.auth)

    @property
    def caller(self) -> Caller:
        return Caller(self.user, self.user.get_username(), self.token)

    def project(self, name: str, action: Action, *, of_six_tasks: bool = False) -> Project:
        """Return the project in which the caller may do this. Raises NotFound, or PermissionDenied with the role.

        `of_six_tasks`: a survey has nothing of what is asked for.
        """
        try:
            return find_project(name, self.caller, action, surveys=not of_six_tasks, archived=self.even_away)
        except Refused as refused:
            raise (PermissionDenied if refused.status == 403 else NotFound)(str(refused)) from refused

    def projects(self, action: Action) -> QuerySet[Project]:
        """Return the projects in which the caller may do this; of a token for one project, that project alone."""
        return opened_by(self.request.auth, projects_for(self.user, action))

    def row(self, rows: QuerySet[Row], number: int, what: str) -> Row:
        """Return the row with this number. Raises NotFound, which says what there is not."""
        found = rows.filter(pk=number).first() if number <= LARGEST_ID else None
        if found is None:
            raise NotFound(f"There is no such {what} in this project.")
        return found

    def page_of(self, rows: QuerySet[Row]) -> tuple[list[Row], int | None]:
        """Return the rows that `FromShape` asks for, the oldest first, and what to ask for the next ones with."""
        asked = self.read(FromShape, self.request.query_params)
        page = list(rows.filter(pk__gt=asked["after"]).order_by("pk")[: asked["most"]])
        return page, page[-1].pk if len(page) == asked["most"] else None

    def read(self, shape: type[serializers.Serializer[Any]], data: Any = None) -> dict[str, Any]:
        serializer = shape(data=self.request.data if data is None else data)
        serializer.is_valid(raise_exception=True)
        return cast(dict[str, Any], serializer.validated_data)


class Streamed(BaseRenderer):
    """Renders refusals only, as JSON."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return bytes(JSONRenderer().render(data))


class ZipRenderer(Streamed):
    """Lets a caller ask for `application/zip`."""

    media_type = "application/zip"
    format = "zip"


class LinesRenderer(Streamed):
    """Lets a caller ask for `application/jsonl`."""

    media_type = "application/jsonl"
    format = "jsonl"
