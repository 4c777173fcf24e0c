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


def listed(request: Request, rows: Sequence[Json], page_size: int = PAGE) -> Reply:
    """One page of the rows, by limit and offset or by page and page_size, with links to the others."""
    numbered = "page" in request.query or "page_size" in request.query
    size = _whole(request, "page_size" if numbered else "limit", page_size, least=1)
    first = (_whole(request, "page", 1, least=1) - 1) * size if numbered else _whole(request, "offset", 0, least=0)
    last = max(0, (len(rows) - 1) // size) * size

    def link(title: str, start: int | None) -> Json:
        if start is None:
            return {"href": None, "title": title}
        here = {"page": start // size + 1, "page_size": size} if numbered else {"limit": size, "offset": start}
        kept = {name: value for name, value in request.query.items() if name not in here}
        return {"href": f"{request.site}/api/v1{request.path}?{urlencode(kept | here)}", "title": title}

    links = {
        "self": link("Current", first),
        "next": link("Next", first + size if first + size < len(rows) else None),
        "previous": link("Previous", max(0, first - size) if first > 0 else None),
        "last": link("Last", last),
    }
    return Reply(200, {"results": rows[first : first + size], "_links": links, "meta": {"count": len(rows)}})


def _whole(request: Request, name: str, otherwise: int, *, least: int) -> int:
    value = request.query.get(name, str(otherwise))
    if not value.isdecimal() or int(value) < least:
        raise Refusal({name: [f"A whole number from {least} on is required."]})
    return int(value)
