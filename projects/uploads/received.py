"""The words between whoever sends a file in pieces and the place that keeps them."""

from dataclasses import dataclass


class UploadError(Exception):
    """A file or a piece of it is not taken. `why` completes the sentence that begins with its path."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path[:200]!r} {why}")
        self.why = why


class OutOfPlaceError(Exception):
    """The piece begins in another place than the file has come to."""

    def __init__(self, received: int, *, complete: bool) -> None:
        super().__init__(f"The next piece begins at byte {received}.")
        self.received, self.complete = received, complete


@dataclass(frozen=True, slots=True)
class Received:
    """A file: the bytes that are here, and the bytes that it will have."""

    path: str
    received: int
    size: int
