"""Faults on demand: the call that never arrives, and the answer that is lost."""

from dataclasses import dataclass
from typing import Literal

How = Literal["before", "after"]
Kind = Literal["timeout", "cut", "500", "throttle"]


@dataclass
class Fault:
    operation: str
    how: How
    kind: Kind
    left: int


class Faults:
    """The faults that are still to come, in the order in which they were asked for."""

    def __init__(self) -> None:
        self.coming: list[Fault] = []

    def add(self, operation: str, how: How, kind: Kind, times: int) -> None:
        """Before: nothing takes effect. After: it takes effect and the reply is lost. "*" means any operation."""
        self.coming.append(Fault(operation, how, kind, times))

    def take(self, operation: str, how: How) -> Kind | None:
        """The fault for this moment of this call, used up once."""
        fits = (fault for fault in self.coming if fault.operation in ("*", operation) and fault.how == how)
        fault = next((fault for fault in fits if fault.left), None)
        if not fault:
            return None
        fault.left -= 1
        return fault.kind
