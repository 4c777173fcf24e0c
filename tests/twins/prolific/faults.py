"""Faults on demand: a call that fails before it took effect, or whose reply is lost afterwards."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from tests.twins.prolific.wire import Refusal, Reply

How = Literal["before", "after"]
Kind = Literal["timeout", "lost", "500", "throttle"]
"""timeout: no reply until the caller gives up; lost: the connection ends without one; throttle: 429."""


@dataclass(slots=True)
class Fault:
    """`path`: a pattern with * over the path after /api/v1."""

    method: str
    path: str
    how: How
    kind: Kind
    retry_after: int
    left: int

    def meets(self, method: str, path: str) -> bool:
        return self.left > 0 and self.method == method and fnmatchcase(path, self.path)

    def reply(self) -> Reply | None:
        """The reply to the caller; None: none at all."""
        if self.kind == "500":
            return Refusal("Something went wrong.", 500).reply()
        if self.kind == "throttle":
            refused = Refusal("Too many requests.", 429).reply()
            return Reply(refused.status, refused.body, {"Retry-After": str(self.retry_after)})
        return None


@dataclass(slots=True)
class Faults:
    """Those that were asked for, each used up in its turn."""

    waiting: list[Fault] = field(default_factory=list)

    def take(self, method: str, path: str) -> Fault | None:
        for fault in self.waiting:
            if fault.meets(method, path):
                fault.left -= 1
                return fault
        return None
