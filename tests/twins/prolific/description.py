"""Prolific's own description of its interface, which every exchange with the twin is held against.

The description is real data beside the project. Where it is absent, nothing is checked.
"""

import json
import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import best_match
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.twins.prolific.wire import Json

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / os.environ.get("CHAINBOX_TEST_DATA", "../shared/data") / "prolific-openapi" / "openapi-2026-04.yml"
PREFIX = "/api/v1"
NAME = "urn:prolific"
PAGED = "Prolific's own client reads and asks for pages of lists."
ERRORS = {
    "const": "OpenAPI 3.0 has no such keyword (13 places). JSON Schema has, and so do the checks here.",
    "reply of a list: _links": PAGED,
    "reply of a list: meta": PAGED,
    "query of a list: limit": PAGED,
    "query of a list: offset": PAGED,
    "status of a listed or moved submission: not PARTIALLY APPROVED": "A single submission and the counts have it.",
    "POST /hooks/subscriptions/: a list": "Its header holds the secret of one subscription, which its body describes.",
}
"""The parts of the description that are wrong or missing, and how this is known."""
IN_PAGES = {"limit", "offset"}
LINKS = {"_links": {"type": "object"}, "meta": {"type": "object"}}
ONE_SUBSCRIPTION = {"$ref": "#/components/schemas/SubscriptionDetail"}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call as the twin received it, and what it replied. `path` begins after /api/v1."""

    method: str
    path: str
    query: dict[str, str]
    sent: bytes
    status: int
    reply: Any

    @property
    def is_malformed(self) -> bool:
        """Whether the twin refused a field of the request."""
        return self.status == 400 and isinstance(self.reply["error"]["detail"], dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}"


@dataclass(frozen=True, slots=True)
class Description:
    """`document`: the description with `nullable` written as JSON Schema writes it."""

    document: Json
    registry: Any = field(init=False)

    def __post_init__(self) -> None:
        resource = DRAFT202012.create_resource(self.document)
        object.__setattr__(self, "registry", Registry().with_resource(NAME, resource))

    def mismatches(self, exchange: Exchange) -> list[str]:
        """Return in which respects the exchange is not as described. A refused call has no described reply."""
        template = self._template(exchange.path)
        operation = self.document["paths"].get(template, {}).get(exchange.method.lower())
        if operation is None:
            return [] if exchange.status >= 400 else [f"{exchange}: not described"]
        place = ("paths", template, exchange.method.lower())
        found = []
        if not exchange.is_malformed:
            found += [f"request: {why}" for why in self._of_request(exchange, operation, place)]
        if exchange.status < 400:
            found += [f"reply: {why}" for why in self._of_reply(exchange, operation, place)]
        return [f"{exchange}: {why}" for why in found]

    def _template(self, path: str) -> str:
        """Return the described path that fits; one with fewer parameters comes first."""
        paths = self.document["paths"]
        fitting = [one for one in paths if re.fullmatch(re.sub(r"{\w+}", "[^/]+", one.removeprefix(PREFIX)), path)]
        return min(fitting, key=lambda one: one.count("{"), default="")

    def _of_request(self, exchange: Exchange, operation: Json, place: tuple[str, ...]) -> list[str]:
        found = self._of_query(exchange.query, operation)
        if "requestBody" not in operation:
            return found + (["a body is not described"] if exchange.sent else [])
        return found + self._against(json.loads(exchange.sent or b"null"), *place, "requestBody")

    def _of_query(self, query: dict[str, str], operation: Json) -> list[str]:
        """An object in the query stands there as its fields."""
        parameters = {one["name"]: one["schema"] for one in operation["parameters"] if one["in"] == "query"}
        needed = [one["name"] for one in operation["parameters"] if one["in"] == "query" and one.get("required")]
        fields = {name: self._fields(schema) for name, schema in parameters.items()}
        known = IN_PAGES.union(*fields.values(), parameters)
        found = [f"query: {name} is not described" for name in query.keys() - known]
        return found + [f"query: {name} is missing" for name in needed if not query.keys() & {name, *fields[name]}]

    def _fields(self, schema: Json) -> set[str]:
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return set(schema.get("properties", {})).union(*(self._fields(one) for one in schema.get("oneOf", [])))

    def _of_reply(self, exchange: Exchange, operation: Json, place: tuple[str, ...]) -> list[str]:
        described = operation["responses"].get(str(exchange.status))
        if described is None:
            return [f"the status is not described, but {', '.join(operation['responses'])}"]
        if "content" not in described:
            return ["a body is not described"] if exchange.reply else []
        return self._against(exchange.reply, *place, "responses", str(exchange.status))

    def _against(self, value: Any, *place: str) -> list[str]:
        """Hold a body against the schema at a place; fields that the schema does not name are mismatches."""
        parts = (*place, "content", "application/json", "schema")
        pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)
        schema = {"$ref": f"{NAME}#/{pointer}"}
        validator = Draft202012Validator(schema, registry=self.registry, format_checker=FormatChecker())
        error = best_match(validator.iter_errors(value))
        return [] if error is None else [f"{error.json_path}: {error.message[:300]}"]


@cache
def description() -> Description | None:
    """Return the description; None: it is not on this machine."""
    if not FILE.is_file():
        return None
    document = yaml.load(FILE.read_bytes(), yaml.CSafeLoader)
    subscribed = document["paths"]["/api/v1/hooks/subscriptions/"]["post"]["responses"]["201"]
    subscribed["content"]["application/json"]["schema"] = ONE_SUBSCRIPTION
    schemas = document["components"]["schemas"]
    for name in ("SubmissionShortStatus", "SubmissionStatus"):
        schemas[name]["enum"].append("PARTIALLY APPROVED")
    for schema in schemas.values():
        if "results" in schema.get("properties", {}):
            schema["properties"] |= LINKS
    # A component that is nothing but another one's name may be a part of a larger one.
    names = {name: schema for name, schema in schemas.items() if "$ref" in schema}
    document["components"]["schemas"] = _as_json_schema(schemas) | names
    return Description(document | {"paths": _as_json_schema(document["paths"])})


def _as_json_schema(value: Any) -> Any:
    """Write `nullable` as JSON Schema does, and admit no fields but those of the schema."""
    if isinstance(value, list):
        return [_as_json_schema(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _as_json_schema(one) for name, one in value.items() if name not in ("nullable", "allOf")}
    if "$ref" in value:
        plain["unevaluatedProperties"] = False
    if "allOf" in value:
        plain["allOf"] = value["allOf"]
    return {"anyOf": [plain, {"type": "null"}]} if value.get("nullable") is True else plain
