"""Requests, replies, refusals, and lists in pages, as they go over the wire."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

PAGE = 20
"""Rows of a page if the caller asks for no number."""

Json = dict[str, Any]
TITLES = {400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests", 500: "Server Error"}


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `path` begins after /api/v1; `site` is the twin's own address."""

    method: str
    path: str
    query: dict[str, str]
    body: Json
    site: str

    def need(self, *names: str) -> list[Any]:
        """The values of these fields of the body. Raises Refusal that names what is missing."""
        missing = [name for name in names if self.body.get(name) in (None, "")]
        if missing:
            raise Refusal({name: ["This field is required."] for name in missing})
        return [self.body[name] for name in names]


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, body (bytes, or what is sent as JSON) and further headers."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """The platform says no, in its documented envelope."""

    def __init__(self, detail: str | list[str] | dict[str, list[str]], status: int = 400) -> None:
        super().__init__(str(detail))
        self.detail, self.status = detail, status

    def reply(self) -> Reply:
        error = {
            "status": self.status,
            # The real numbers are the platform's own and unpublished.
            "error_code": self.status * 1000,
            "title": TITLES[self.status],
            "detail": self.detail,
            "additional_information": "",
        }
        return Reply(self.status, {"error": error})


def listed(request: Request, rows: Sequence[Json]) -> Reply:
    """One page of the rows, by limit and offset, with links to the others."""
    size, first = int(request.query.get("limit", PAGE)), int(request.query.get("offset", 0))

    def link(title: str, start: int, *, there: bool = True) -> Json:
        query = urlencode({**request.query, "limit": size, "offset": start})
        return {"href": f"{request.site}/api/v1{request.path}?{query}" if there else None, "title": title}

    links = {
        "self": link("Current", first),
        "next": link("Next", first + size, there=first + size < len(rows)),
        "previous": link("Previous", max(0, first - size), there=first > 0),
        "last": link("Last", max(0, (len(rows) - 1) // size) * size),
    }
    return Reply(200, {"results": rows[first : first + size], "_links": links, "meta": {"count": len(rows)}})
