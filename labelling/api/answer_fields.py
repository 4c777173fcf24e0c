"""The fields of an answer and of a box, and their schema: one component for each task, made from the task's rule."""

from copy import deepcopy
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction, extend_schema_field
from pydantic import TypeAdapter
from rest_framework import serializers

from pipeline.protocol.tasks.answers import Edges, schema_of
from pipeline.protocol.tasks.task import Task


def openapi(schema: Any) -> Any:
    """A JSON schema as OpenAPI 3.0 writes it: without titles, and with an `enum` for a constant."""
    if isinstance(schema, list):
        return [openapi(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: openapi(value) for name, value in schema.items() if name not in ("title", "const")}
    return kept | ({"enum": [schema["const"]]} if "const" in schema else {})


NAMES = {task: "".join(word.title() for word in task.value.split("_")) + "Answer" for task in Task}
"""The component that describes the answers to a task."""
REFERENCES = {task: {"$ref": f"#/components/schemas/{name}"} for task, name in NAMES.items()}
ANSWER = {"$ref": "#/components/schemas/Answer"}
COMPONENTS: dict[str, dict[str, Any]] = {
    **{name: openapi(schema_of(task)) for task, name in NAMES.items()},
    "Answer": {"description": "The answers of the assignment's task.", "oneOf": list(REFERENCES.values())},
    "Answers": {
        "type": "object",
        "description": "The answers that each task takes, by the name of the task.",
        "properties": {task.value: reference for task, reference in REFERENCES.items()},
        "required": [task.value for task in Task],
    },
}


@extend_schema_field(openapi(TypeAdapter(Edges).json_schema()))
class BoxField(serializers.ListField):
    """[x0, y0, x1, y1] in whole pixels of the upright image, half open."""


class AnswerField(serializers.JSONField):
    """An answer to the assignment's task. `submit_assignment` checks it: only there the task is known."""


class AnswerFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Refers to the component `Answer`, and adds all components of answers to the schema."""

    target_class = AnswerField

    def map_serializer_field(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, str]:
        # The generator writes into what it is given: it moves enums into components of their own.
        for name, schema in deepcopy(COMPONENTS).items():
            component = ResolvedComponent(name, ResolvedComponent.SCHEMA, schema, object=name)
            auto_schema.registry.register_on_missing(component)
        return ANSWER
