"""Faults on demand: a call that fails before it took effect, or whose reply is lost afterwards."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

How = Literal["before", "after"]
Kind = Literal["timeout", "cut", "500", "throttle"]
"""timeout: no reply until the caller gives up; cut: the connection ends without one."""


@dataclass(slots=True)
class Fault:
    """`call`: a pattern with * over the operation, or over the method and the path."""

    call: str
    how: How
    kind: Kind
    left: int
    retry_after: int = 1


class Faults(list[Fault]):
    """The faults that were asked for, each used up in its turn."""

    def coming(self, call: str) -> Fault | None:
        """The fault that the next such call meets."""
        return next((fault for fault in self if fault.left and fnmatchcase(call, fault.call)), None)

    def take(self, call: str) -> Fault | None:
        if fault := self.coming(call):
            fault.left -= 1
        return fault
