"""Read the JSON of a request, and refuse what the service can neither store nor send back."""

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

DEEPEST = 40
"""Levels of lists and objects within one another. A draft has about six."""
MOST_DIGITS = 18
"""The databases store whole numbers of up to 64 bits."""


class PlainJSONParser(JSONParser):
    """Refuses deep nesting, numbers of many digits, and half of a surrogate pair, which no encoding can write."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            text = stream.read().decode()
            data = json.loads(text, parse_int=_whole_number, parse_constant=_no_number)
        except RecursionError as error:
            raise ParseError("The JSON is nested too deeply.") from error
        except ValueError as error:
            raise ParseError(f"The request is not JSON that can be read: {_in_ascii(error)}") from error
        # Few requests need to be looked through: most have no escapes and few brackets.
        if isinstance(data, dict | list) and text.count("[") + text.count("{") > DEEPEST:
            _check_depth(data)
        if "\\u" in text:
            try:
                json.dumps(data, ensure_ascii=False).encode()
            except UnicodeEncodeError as error:
                raise ParseError("The request contains a character that is not valid Unicode.") from error
        return data


def _check_depth(data: Any) -> None:
    level = [data]
    for _ in range(DEEPEST):
        inside = (part for whole in level for part in (whole.values() if isinstance(whole, dict) else whole))
        level = [part for part in inside if isinstance(part, dict | list)]
        if not level:
            return
    raise ParseError(f"The JSON is nested too deeply: more than {DEEPEST} levels.")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a whole number has more than {MOST_DIGITS} digits.")
    return int(digits)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON.")


def _in_ascii(error: ValueError) -> str:
    return str(error).encode("ascii", "replace").decode()
