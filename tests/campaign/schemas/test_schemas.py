"""Schemas: they are those of the declarations, explain every field, and none declares what nobody writes."""

from typing import Any

import pytest
from django.core.management import call_command
from jsonschema import Draft202012Validator

from campaign.schemas.guess_kind import guess_kind
from campaign.schemas.kinds import KINDS
from campaign.schemas.make_schema import REFERENCE, schema_of
from tests.campaign.schemas.examples import WRITTEN, example, written
from tests.support.schema_fields import check_ours, declared, fields_met

NAMES = [name for name in KINDS if name != "jsonl"]
FROM_ELSEWHERE = {"hub": {".caption", ".text"}}
"""Fields of formats of others that no export of ours has."""


@pytest.mark.slow
def test_the_schemas_and_the_page_of_fields_are_those_of_the_declarations() -> None:
    call_command("schemas", check=True)


@pytest.mark.parametrize("name", KINDS)
def test_a_schema_is_one_and_names_no_host_and_explains_every_field(name: str) -> None:
    schema = schema_of(KINDS[name])
    Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["title"]) == (f"urn:chainbox:{name}", name) and schema["description"]
    objects = {"": schema, **schema.get("$defs", {})}

    def explained(field: dict[str, Any]) -> bool:
        """Tell whether a field has a description, or is an object, or are objects, that have one."""
        if "description" in field or "const" in field:
            return True
        inner = field.get("items") or field.get("additionalProperties") or {}
        named = [one.get("$ref", "") for one in (field, inner, *inner.get("anyOf", ()), *field.get("anyOf", ()))]
        objects_there = [objects[one.removeprefix(REFERENCE)] for one in named if one]
        return bool(objects_there) and all("description" in one for one in objects_there)

    bare = [
        f"{place}.{own}"
        for place, one in objects.items()
        for own, field in one.get("properties", {}).items()
        if not explained(field)
    ]
    assert bare == []


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_schema_is_in_the_example_of_its_kind(name: str) -> None:
    schema, value = schema_of(KINDS[name]), example(name)
    met = {field for one in (value if KINDS[name].is_lines else [value]) for field in fields_met(one, schema)}
    assert declared(schema) - met == FROM_ELSEWHERE.get(name, set())


@pytest.mark.parametrize("name", WRITTEN)
def test_an_export_has_no_field_that_its_schema_does_not_declare(name: str) -> None:
    value = example(name)
    check_ours(name, value if KINDS[name].is_lines else [value])


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_told_by_its_fields_whatever_its_name_is(name: str, tmp_path: Any) -> None:
    lines = KINDS[name].is_lines
    for ending in [".jsonl", ".txt"] if lines else [".json", ".txt"]:
        assert guess_kind(written(tmp_path / f"file{ending}", name, example(name))).name == name
