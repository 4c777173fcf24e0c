"""The patience of a round with a platform that cannot be reached: it gives up instead of waiting for every call."""

from dataclasses import dataclass

from platforms.contract.errors import PlatformError

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
