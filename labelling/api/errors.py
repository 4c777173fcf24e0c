"""Refusals: of JSON that the service can neither store nor send back, and of all else, in one JSON shape for errors.

The shape is {"code", "message"}, the message in words for the worker.
"""

import json
import re
from collections.abc import Mapping
from typing import IO, Any

from django.http import Http404
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.response import Response
from rest_framework.views import exception_handler

from labelling.messages import BadMessageError, NoSuchConversationError, TooManyMessagesError
from pipeline import errors
from runtime.faults import BUSY, fault_of, log_fault

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
            in_ascii = str(error).encode("ascii", "replace").decode()
            raise ParseError(f"The request is not JSON that can be read: {in_ascii}") from error
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


STATUS: dict[type[errors.PipelineError], tuple[int, str]] = {
    errors.SignedOutError: (401, "signed_out"),
    errors.NoAccessError: (403, "no_access"),
    errors.NotTrustedError: (403, "not_trusted"),
    errors.NotSetToWorkError: (403, "not_trusted"),
    errors.NotForProgramsError: (403, "not_trusted"),
    errors.NotRunningError: (403, "not_running"),
    errors.BudgetSpentError: (403, "budget_spent"),
    errors.NotYoursError: (403, "not_yours"),
    errors.SessionOverError: (409, "session_over"),
    errors.NotFinishedError: (409, "not_finished"),
    errors.NoSuchAssignmentError: (404, "not_found"),
    errors.AssignmentEndedError: (409, "assignment_ended"),
    errors.BadAnswerError: (400, "bad_answer"),
    errors.NoPartsError: (400, "bad_answer"),
    errors.StateMovedError: (503, "busy"),
    BadMessageError: (400, "invalid"),
    NoSuchConversationError: (404, "not_found"),
    TooManyMessagesError: (429, "throttled"),
}
MAX_WORD_CHARACTERS, MAX_REPEATED_CHARACTERS = 60, 400
"""Characters that a message repeats of a caller's value, at most: of one word, and in all."""
CODES = {401: "signed_out", 403: "no_access", 404: "not_found", 429: "throttled"}


def refuse(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to an error; None if the error was not foreseen: Django logs it and answers with 500."""
    if isinstance(error, errors.PipelineError):
        status, code = STATUS[type(error)]
        if status == 503:
            log_fault(context["request"].path, BUSY, error)
        return _response(status, code, _shortened(gettext(str(error))))
    if fault := fault_of(error):
        log_fault(context["request"].path, fault, error)
        return _response(503, fault.code, gettext(fault.message), retry_seconds=fault.retry_seconds)
    response = exception_handler(error, context)
    if response is None:
        return None
    message = str(error) if isinstance(error, Http404) and str(error) else _in_words(error)
    response.data = {"code": CODES.get(response.status_code, "invalid"), "message": message}
    return response


def _response(status: int, code: str, message: str, *, retry_seconds: int = 1) -> Response:
    headers = {"Retry-After": str(retry_seconds)} if status == 503 else None
    return Response({"code": code, "message": message}, status=status, headers=headers)


def _in_words(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return _shortened(" ".join(_sentences(error.detail)))
    return str(getattr(error, "detail", "")) or gettext("This does not exist.")


def _shortened(message: str) -> str:
    """Return the message without most of a long value that it quotes."""
    message = re.sub(rf"\S{{{MAX_WORD_CHARACTERS},}}", lambda word: f"{word[0][: MAX_WORD_CHARACTERS // 2]}…", message)
    return message if len(message) <= MAX_REPEATED_CHARACTERS else f"{message[:MAX_REPEATED_CHARACTERS]}…"


def _named(detail: dict[str, Any]) -> dict[str, Any]:
    """Return the errors by field; those of the whole object under an empty name."""
    return {"" if name == "non_field_errors" else str(name): error for name, error in detail.items()}


def _sentences(detail: Any, place: str = "") -> list[str]:
    """Return a serializer's errors as sentences, each with the place of the fault."""
    if isinstance(detail, dict):
        parts = ((f"{place}.{name}".strip("."), error) for name, error in _named(detail).items())
    elif isinstance(detail, list) and any(isinstance(error, dict | list) for error in detail):
        parts = ((f"{place}[{number}]", error) for number, error in enumerate(detail) if error)
    else:
        return [
            f"{place}: {error}" if place else str(error) for error in (detail if isinstance(detail, list) else [detail])
        ]
    return [sentence for where, error in parts for sentence in _sentences(error, where)]
