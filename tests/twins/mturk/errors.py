"""The service's two errors, and the words it uses."""

from collections.abc import Iterable

PREFIX = "AWS.MechanicalTurk."


class TurkError(Exception):
    """A RequestError: the caller's mistake. `code` goes without its prefix "AWS.MechanicalTurk."."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = PREFIX + code
        self.message = message


def invalid(message: str) -> TurkError:
    """A parameter outside what the service takes."""
    return TurkError("ParameterValidationError", message)


def unknown(kind: str, id: str) -> TurkError:
    """Nothing of this kind ("HIT", "Assignment", "QualificationType") has this id."""
    name = "Hit" if kind == "HIT" else kind
    return TurkError(f"{kind}DoesNotExist", f"{name} {id} does not exist.")


def wrong_state(kind: str, allowed: Iterable[str]) -> TurkError:
    """The operation takes this kind of thing only in other states."""
    return TurkError(f"Invalid{kind}State", f"This operation can be called with a status of: {','.join(allowed)}")


def processed(token: str, request: str) -> TurkError:
    """The token of an earlier request, whose id the message holds."""
    message = f'The idempotency token "{token}" has already been processed. Request: {request}'
    return TurkError("DuplicateRequest", message)
