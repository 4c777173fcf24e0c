"""Plain errors [beyond paper 3]: say in plain words which values of an input are wrong, and what they should be."""

from collections.abc import Iterable, Sequence
from reprlib import repr as shortened
from typing import Any, NamedTuple, TypeVar

from pydantic import AfterValidator, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails, PydanticCustomError

C = TypeVar("C")
PLAIN_MESSAGES = {
    "dict_type": "should be an object with named values",
    "dataclass_type": "should be an object with named values",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "should be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "should be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "should be true or false"),
    "string_type": "should be a text",
}
"""Plain words, and JSON's own, for the kinds of values that Python calls otherwise."""


class WrongValuesError(ValueError):
    """An input has wrong values; `wrong` holds each of them."""

    def __init__(self, whole: str, wrong: "Sequence[WrongValue]") -> None:
        super().__init__(f"{whole} out of range: {'; '.join(map(str, wrong))}.")
        self.wrong = wrong


class WrongValue(NamedTuple):
    """One wrong value of an input."""

    name: str
    """The part of the input that the value belongs to, or the name of the input."""
    place: tuple[str | int, ...]
    """The place of the value within that part, such as ("box_drawing",); empty: the part itself."""
    words: str
    """The fault, with the sign that parts it from the place: "=5 should be at least 10"."""

    def __str__(self) -> str:
        return f"{self.name}{''.join(f'[{part!r}]' for part in self.place)}{self.words}"


def checked_plainly(cls: type[C]) -> type[C]:
    """Let a class of settings say in plain words which of its values are wrong."""
    validate = cls.__init__

    def __init__(self: C, *args: Any, **values: Any) -> None:
        try:
            validate(self, *args, **values)
        except ValidationError as error:
            raise WrongValuesError("Settings", wrong_values(error, "settings")) from error

    setattr(cls, "__init__", __init__)  # noqa: B010  # mypy allows no assignment to it
    return cls


def wrong_values(error: ValidationError, whole: str) -> list[WrongValue]:
    """Return each wrong value. `whole` names the input, for errors that belong to no part of it."""
    return [_wrong_value(error, whole) for error in error.errors(include_url=False)]


def plain_errors(error: ValidationError, whole: str) -> str:
    """Return a clause for each wrong value: where it is, the value, and what it should be."""
    return "; ".join(map(str, wrong_values(error, whole)))


def _wrong_value(error: ErrorDetails, whole: str) -> WrongValue:
    parts = list(error["loc"])
    is_name = parts[-1:] == ["[key]"]
    first, *deeper = (parts[:-2] if is_name else parts) or [whole]
    return WrongValue(str(first), tuple(deeper), _words(error, is_name=is_name))


def _words(error: ErrorDetails, *, is_name: bool) -> str:
    match error["type"]:
        case "value_error":
            return f": {str(error['ctx']['error']).removesuffix('.')}"
        case "missing":
            return " is missing"
        case "unexpected_keyword_argument" | "extra_forbidden":
            return " is unknown"
    _, should, rest = error["msg"].partition("should")
    words = PLAIN_MESSAGES.get(error["type"], f"{should}{rest}" or error["msg"])
    return f"{': the name ' if is_name else '='}{shortened(error['input'])} {words}"


def one_of(names: Iterable[str]) -> AfterValidator:
    """Return a check that allows these names only."""
    known = tuple(map(str, names))

    def check(name: str) -> str:
        if name not in known:
            words = ", ".join(f'"{name}"' for name in known)
            raise PydanticCustomError("one_of", "should be one of: {words}", {"words": words})
        return name

    return AfterValidator(check)


def should_be(words: str, *, as_given: bool = False) -> WrapValidator:
    """Return a check whose error names the allowed values in these words.

    `as_given`: keep a right value as it was given; else 1 becomes 1.0 where any number is allowed.
    """

    def check(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
        try:
            read = validate(value)
        except ValidationError as error:
            raise PydanticCustomError("should_be", "should be {words}", {"words": words}) from error
        return value if as_given else read

    return WrapValidator(check)
