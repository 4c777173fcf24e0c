"""The API's reference as a page: every call of requesters' programs, with what is sent and what comes back."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from campaign.access import managers_of_something

OF_REQUESTERS = "/api/v1/requester/"


@dataclass(frozen=True)
class Field:
    """A parameter, or a value that is sent or comes back."""

    name: str
    kind: str
    about: str
    needed: bool


@dataclass(frozen=True)
class Call:
    """One call of the API."""

    name: str
    method: str
    path: str
    about: str
    parameters: list[Field]
    sends: list[Field]
    answers: list[Field]


@login_required
@managers_of_something
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "campaign/api_reference.html", {"calls": calls()})


@cache
def calls() -> list[Call]:
    """Return the calls of requesters' programs as the schema at /api/schema/ has them, by path."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    shapes = schema["components"]["schemas"]
    return [
        Call(
            name=one["operationId"],
            method=method.upper(),
            path=path,
            about=one.get("description", ""),
            parameters=[
                Field(each["name"], _kind(each["schema"]), each.get("description", ""), each.get("required", False))
                for each in one.get("parameters", [])
            ],
            sends=list(_fields(one.get("requestBody", {}), shapes)),
            answers=list(_fields(_answer(one["responses"]), shapes)),
        )
        for path, methods in schema["paths"].items()
        if path.startswith(OF_REQUESTERS)
        for method, one in methods.items()
    ]


def _answer(responses: dict[str, Any]) -> dict[str, Any]:
    good = next((status for status in responses if status.startswith("2")), "")
    found: dict[str, Any] = responses.get(good, {})
    return found


def _fields(body: dict[str, Any], shapes: dict[str, Any]) -> Iterator[Field]:
    """Yield the fields of the JSON that a request or a response holds; those of one item if that is a list."""
    shape = body.get("content", {}).get("application/json", {}).get("schema", {})
    shape = shape.get("items", shape)
    shape = shapes.get(shape.get("$ref", "").rpartition("/")[2], shape)
    for name, one in shape.get("properties", {}).items():
        yield Field(name, _kind(one), one.get("description", ""), name in shape.get("required", ()))


def _kind(shape: dict[str, Any]) -> str:
    """Return the kind of a value in a word or two."""
    if shape.get("type") == "array":
        return f"list of {_kind(shape['items'])}"
    if "enum" in shape:
        return " or ".join(f"“{one}”" for one in shape["enum"][:6])
    inner = next((one for one in shape.get("oneOf", shape.get("allOf", ())) if "$ref" in one), shape)
    return str(
        shape.get("format") or shape.get("type") or inner.get("$ref", "").rpartition("/")[2].removesuffix("Shape")
    )
