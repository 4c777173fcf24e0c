"""Clients for the twins that wait long, except for calls that a test has silenced: a busy machine is not a fault."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx

from platforms.mturk.client import Turk, Values
from platforms.prolific.client import Client
from platforms.prolific.wire_format import Json
from tests.twins.mturk import MTurkTwin
from tests.twins.prolific import ProlificTwin

SOON, LATE = 0.2, 20.0
"""Seconds."""


@dataclass(frozen=True)
class PatientClient(Client):
    """Tries harmless calls twice, without a pause."""

    tries: int = 2
    first_pause: float = 0.0
    twin: ProlificTwin | None = None

    def send_once(self, method: str, path: str, body: Json | None = None, **query: str) -> httpx.Response:
        fault = self.twin.faults.coming(f"{method} {path}") if self.twin else None
        silent = fault is not None and fault.kind == "timeout"
        return Client.send_once(replace(self, seconds=SOON if silent else LATE), method, path, body, **query)


class PatientTurk(Turk):
    """Tries every call once."""

    def __init__(self, twin: MTurkTwin) -> None:
        once = {"mode": "standard", "total_max_attempts": 1}
        self._twin = twin
        self._soon, self._late = (twin.client(read_timeout=seconds, retries=once) for seconds in (SOON, LATE))

    def __call__(self, operation: str, **params: Any) -> Values:
        return Turk(self._client_for(operation))(operation, **params)

    def listed(self, operation: str, name: str, **params: Any) -> Iterator[Values]:
        yield from Turk(self._client_for(operation)).listed(operation, name, **params)

    def _client_for(self, operation: str) -> Any:
        fault = self._twin.faults.coming(self._late.meta.method_to_api_mapping[operation])
        return self._soon if fault and fault.kind == "timeout" else self._late
