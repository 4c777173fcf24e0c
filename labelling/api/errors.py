"""Turn errors into one JSON shape: {"code", "message"}, the message in words for the worker."""

import re
from typing import Any

from django.http import Http404
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from labelling.messages.conversations import BadMessageError, NoSuchConversationError, TooManyMessagesError
from pipeline import errors
from runtime.faults import BUSY, fault_of, log_fault

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
