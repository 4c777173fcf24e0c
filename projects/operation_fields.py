"""Fields of an operation's input as a form, a command and an address need them, and their errors in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from annotation.rules.plain_errors import wrong_values
from projects.operation import AsArgument, AsOption, Choice, MaxSize, Operation, SentFile


@dataclass(frozen=True, slots=True)
class InputField:
    """A field of an input whose value is a number, a text, a day, a choice, a switch, or a list of these."""

    name: str
    kind: type
    """The type of the value, or of each value of a list; a choice is a str."""
    required: bool
    default: Any
    label: str
    help: str
    choices: tuple[str, ...] = ()
    as_option: bool = True
    """A command takes it as an option and not by its place."""
    many: bool = False
    """The value is a list."""
    low: Any = None
    high: Any = None
    longest: int | None = None
    """Most characters of a text."""
    size: MaxSize | None = None
    """Most bytes of a file."""

    @property
    def option(self) -> str:
        """The option of a command."""
        return f"--{self.name.replace('_', '-')}"


def input_fields(operation: Operation[Any, Any, Any]) -> list[InputField]:
    """Return the fields of the operation's input. Values with parts of their own are left out: programs send them."""
    return [field for name in operation.input.model_fields if (field := _input_field(operation.input, name))]


def names_in_path(operation: Operation[Any, Any, Any]) -> set[str]:
    """Return the fields whose values stand in the address of the API's call."""
    parts = (operation.path or "").split("/")
    return {part.strip("<>").rpartition(":")[2] for part in parts if part.startswith("<")}


def _input_field(model: type[BaseModel], name: str) -> InputField | None:
    info = model.model_fields[name]
    kind: Any = get_type_hints(model, include_extras=True)[name]
    metadata: list[Any] = []
    many = False
    while get_origin(kind) in (Annotated, Union, UnionType, list, tuple):
        if get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            metadata += more
        else:
            many |= get_origin(kind) in (list, tuple)
            kind = next(inner for inner in get_args(kind) if inner is not NoneType)
    choices: tuple[str, ...] = ()
    if get_origin(kind) is Literal:
        kind, choices = str, tuple(get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, Enum):
        choices, kind = tuple(str(member.value) for member in kind), str
    for constraint in metadata:
        choices = tuple(constraint.choices) if isinstance(constraint, Choice) else choices
    if kind not in (str, int, float, bool, date, SentFile):
        return None
    limits = {
        limit: next((value for mark in metadata if (value := getattr(mark, limit, None)) is not None), None)
        for limit in ("ge", "le", "max_length")
    }
    titles = [info.title, *(mark.title for mark in metadata if isinstance(mark, FieldInfo))]
    marks = {type(mark) for mark in metadata}
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return InputField(
        name=name,
        kind=kind,
        required=info.is_required(),
        default=default.value if isinstance(default, Enum) else default,
        label=next(filter(None, titles), name.replace("_", " ").capitalize()),
        help=info.description or "",
        choices=choices,
        as_option=AsOption in marks if info.is_required() or kind is SentFile else AsArgument not in marks,
        many=many,
        low=limits["ge"],
        high=limits["le"],
        longest=limits["max_length"],
        size=next((mark for mark in metadata if isinstance(mark, MaxSize)), None),
    )


def errors_by_place(error: ValidationError) -> dict[str, list[str]]:
    """Return the wrong values of an input in sentences, by their places; those of the whole input under ""."""
    errors: dict[str, list[str]] = {}
    for wrong in wrong_values(error, ""):
        deeper = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in wrong.place)
        errors.setdefault(f"{wrong.name}{deeper}", []).append(_sentence(wrong.words))
    return errors


def errors_by_field(error: ValidationError) -> dict[str, list[str]]:
    """Return the same by field: a sentence about a part of a value begins with the part's place."""
    errors: dict[str, list[str]] = {}
    for place, sentences in errors_by_place(error).items():
        name = re.split(r"[.\[]", place, maxsplit=1)[0]
        deeper = place.removeprefix(name).removeprefix(".")
        errors.setdefault(name, []).extend(f"{deeper}: {sentence}" if deeper else sentence for sentence in sentences)
    return errors


def _sentence(words: str) -> str:
    """Return the words about a wrong value, which begin with the sign that parts them from its place, as a sentence."""
    text = words.removeprefix("=").removeprefix(": ")
    text = f"this{text}" if text.startswith(" ") else text
    return f"{text[:1].upper()}{text[1:]}."
