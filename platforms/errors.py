"""Failures of a call to a platform, which the requester reads, and how many a round accepts before it gives up."""

from dataclasses import dataclass


class PlatformError(Exception):
    """The platform did not do it."""

    def __init__(self, message: str = "", *, out_of_reach: bool = False) -> None:
        """`out_of_reach`: the platform gave no answer at all; another call now would most likely wait in vain too."""
        super().__init__(message or self.__doc__)
        self.out_of_reach = out_of_reach


class PlatformOffError(PlatformError):
    """This platform is not set up."""


class RefusedError(PlatformError):
    """The platform refused. Nothing was done, and the same call would be refused again."""


class UnsureError(PlatformError):
    """The call may have taken effect or not: the platform gave no answer, or one that says to try again later."""


class NothingDoneError(PlatformError):
    """The call had no effect. The same call can be sent again."""


class UnknownVisitorError(PlatformError):
    """The platform did not send this visitor. The visitor reads the message."""


class OpenedElsewhereError(UnknownVisitorError):
    """Another browser opened this session first, and holds it."""


MOST_FAILURES = 3
GIVEN_UP = f"It could not be reached {MOST_FAILURES} times in a row: the rest waits for the next round."


@dataclass(slots=True)
class Patience:
    """The calls without an answer that one round still accepts. Any answer, even a refusal, restores all of them."""

    left: int = MOST_FAILURES

    @property
    def is_exhausted(self) -> bool:
        return self.left <= 0

    def note_call(self, error: PlatformError | None = None) -> None:
        """Count one call; `error` None: the call succeeded."""
        self.left = self.left - 1 if error is not None and error.out_of_reach else MOST_FAILURES
