"""When a round gives up on a platform that cannot be reached: every further call would wait in vain as long again."""

from dataclasses import dataclass

from platforms.contract.errors import PlatformError

IN_A_ROW = 3
GIVEN_UP = f"It could not be reached {IN_A_ROW} times in a row: the rest waits for the next round."


@dataclass(slots=True)
class Patience:
    """Of one round. An answer of any kind, a refusal too, renews it."""

    left: int = IN_A_ROW

    @property
    def gone(self) -> bool:
        return self.left <= 0

    def note(self, error: PlatformError | None = None) -> None:
        """What a call came to. None: it was answered."""
        self.left = self.left - 1 if error is not None and error.out_of_reach else IN_A_ROW
