"""Link policy [paper 3.1.1]: the interface of what decides which links to ask next, and which chains are placed."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class LinkPolicy(Protocol):
    """Decides about the links of an image."""

    @property
    def digest(self) -> str:
        """A short text that differs if other links may be asked."""
