"""Errors: those that end a command with one sentence, and replies that are no answer; their text in a terminal."""

import unicodedata


class AnnotatorError(Exception):
    """A command cannot go on. The message says what is wrong, where, and what to do."""

    exit_code = 1


class WrongUse(AnnotatorError):
    """A command was called with options, files or keys that cannot be used."""

    exit_code = 2


class ServiceError(AnnotatorError):
    """The service refused a call, or could not be reached. `status`: of HTTP, 0 without one; `code`: of the refusal."""

    def __init__(self, message: str, *, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


class BudgetSpent(AnnotatorError):
    """No further call fits into the budget."""


class CallStopped(AnnotatorError):
    """A call failed and was not tried again, because the run ends."""


class NoAnswer(Exception):
    """A reply that is no answer to the question, which is skipped. The message is the reason, in a few words."""


class UnreadableReply(NoAnswer):
    """A reply without an answer that could be read. The last few of them may be a fault of the server."""

    is_open = False
    """Whether it is among the last ones in a row, so that the question is not skipped yet."""
    is_left = False
    """Whether the run ended because of it and others in a row: the question is left to others."""


class NoPicture(NoAnswer):
    """A picture that cannot be loaded or read."""


ALLOWED_CONTROLS = "\n\t"


def shown(text: str) -> str:
    """Return the text with control characters written out, which could move the cursor or change the window."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in ALLOWED_CONTROLS or not _is_control(character) else f"\\u{ord(character):04x}"
        for character in text
    )


def _is_control(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "C" or kind in ("Zl", "Zp")
