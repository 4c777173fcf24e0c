"""Tell which worker calls the API: a page by its signed token, a program by its API key, both in the same header.

Whether a token still counts is checked by each call's own statements, through the caller's guard.
"""

from dataclasses import dataclass

from django.utils.translation import gettext
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from labelling.sign_ins import guard_of
from pipeline.asking.admission import Guard
from pipeline.errors import SignedOutError
from workers.tokens import PageToken, find_worker, read_page_token


@dataclass(frozen=True, slots=True)
class WorkerCaller:
    """A worker by id. The API needs nothing more, so no row is read."""

    token: PageToken
    has_key: bool
    """A program with its API key, which was just checked. It gets no tokens: those would outlive the key."""
    is_authenticated: bool = True

    @property
    def worker_id(self) -> int:
        return self.token.worker_id

    @property
    def session_id(self) -> int | None:
        return self.token.session_id

    @property
    def pk(self) -> int:
        """The key by which throttles count calls."""
        return self.worker_id

    @property
    def guard(self) -> Guard:
        return Guard() if self.has_key else guard_of(self.token)


class WorkerAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN` or `Authorization: Key KEY`."""

    def authenticate(self, request: Request) -> tuple[WorkerCaller, None] | None:
        scheme, _, credential = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() == "bearer":
            token = read_page_token(credential.strip())
        elif scheme.lower() == "key":
            worker = find_worker(credential.strip())
            token = PageToken(worker.id) if worker else None
        else:
            return None
        if token is None:
            raise AuthenticationFailed(gettext(SignedOutError.message))
        return WorkerCaller(token, has_key=scheme.lower() == "key"), None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class WorkerAuthenticationSchema(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = WorkerAuthentication
    name = ["bearer", "key"]  # noqa: RUF012  # as the extension asks for it

    def get_security_definition(self, auto_schema: object) -> list[dict[str, str]]:
        header = {"type": "apiKey", "in": "header", "name": "Authorization"}
        return [
            {"type": "http", "scheme": "bearer", "description": "The signed token of a page."},
            {**header, "description": "The API key of a program: `Key …`."},
        ]
