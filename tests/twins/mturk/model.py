"""botocore's model of the service; every request and every reply is held against it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

SERVICE = Loader().load_service_model("mturk", "service-2")
SHAPES = SERVICE["shapes"]
TARGET = SERVICE["metadata"]["targetPrefix"] + "."
MODEL = ServiceModel(SERVICE, "mturk")


def complaints(operation: str, value: Any, side: str) -> list[str]:
    """The faults of a request (side "input") or a reply ("output") by the model; timestamps as datetime."""
    name = SERVICE["operations"][operation][side]["shape"]
    report = ParamValidator().validate(value, MODEL.shape_for(name))
    if report.has_errors():
        return [report.generate_report()]
    return list(finer(value, name, operation))


def finer(value: Any, name: str, where: str) -> Iterator[str]:
    """Faults that botocore's validator lets pass: unknown members, patterns, choices, upper limits."""
    shape = SHAPES[name]
    if shape["type"] == "structure":
        for member, part in value.items():
            if member not in shape["members"]:
                yield f"{where}.{member}: no such member"
            else:
                yield from finer(part, shape["members"][member]["shape"], f"{where}.{member}")
    elif shape["type"] == "list":
        for part in value:
            yield from finer(part, shape["member"]["shape"], f"{where}[]")
    elif shape["type"] == "string":
        yield from text_complaints(value, shape, where)
    elif "max" in shape and value > shape["max"]:
        yield f"{where}: {value} is more than {shape['max']}"


def text_complaints(value: str, shape: dict[str, Any], where: str) -> Iterator[str]:
    if len(value) > shape.get("max", len(value)):
        yield f"{where}: longer than {shape['max']} characters"
    if "pattern" in shape and not re.search(shape["pattern"], value):
        yield f"{where}: {value!r} does not match {shape['pattern']}"
    if "enum" in shape and value not in shape["enum"]:
        yield f"{where}: {value!r} is none of {', '.join(shape['enum'])}"


def from_wire(value: Any, name: str) -> Any:
    """A request's JSON with its timestamps (seconds since 1970) as datetime."""
    shape = SHAPES[name]
    if shape["type"] == "timestamp" and isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    if shape["type"] == "structure" and isinstance(value, dict):
        members = shape["members"]
        return {key: from_wire(part, members[key]["shape"]) if key in members else part for key, part in value.items()}
    if shape["type"] == "list" and isinstance(value, list):
        return [from_wire(part, shape["member"]["shape"]) for part in value]
    return value


def to_wire(value: Any) -> Any:
    """Turn a datetime into seconds since 1970, for json.dumps."""
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"a reply may not hold {value!r}")
