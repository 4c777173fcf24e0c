"""Box policy [paper 3.2]: the interface of what decides which box task comes next, and what becomes of the boxes."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class BoxPolicy(Protocol):
    """Decides about the boxes of a chain."""
