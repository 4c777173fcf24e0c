"""Requests made from the API's own schema, by schemathesis: each response must be as the schema describes it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.wsgi import application
from studies.fuzz.attack import Findings, digest, rolled_back, writes
from studies.fuzz.world import NAME, World

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def attack_by_schema(
    world: World, requests: int, *, seed: int = 1, step: Callable[[int], object] = lambda n: None
) -> Findings:
    """Send about so many requests, in equal parts to each operation."""
    schema = schemathesis.openapi.from_dict(SchemaGenerator().get_schema(request=None, public=True))  # type: ignore[no-untyped-call]
    operations: list[Any] = [result.ok() for result in schema.get_all_operations()]  # type: ignore[union-attr]
    findings = Findings()
    with _kept_connection():
        for operation in operations:
            _attack(operation, world, max(1, requests // len(operations)), seed, findings, step)
    return findings


@contextmanager
def _kept_connection() -> Iterator[None]:
    """Keep the connection after each request, as Django's test client does: it is inside a transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in signals:
            signal.connect(close_old_connections)


def _attack(
    operation: Any, world: World, requests: int, seed: int, findings: Findings, step: Callable[[int], object]
) -> None:
    before = digest()
    known = {"token": str(world.held.token), "project": NAME, "conversation": world.values["conversation"][0]}
    known |= {"export_format": "coco", "record": "0-1"}

    @seeded(seed)
    @settings(
        max_examples=requests,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
    )
    @given(case=operation.as_strategy())
    def send(case: Any) -> None:
        # Rows of other kinds, such as runs of imports, are asked for by a number that none has.
        case.path_parameters = {name: known.get(name, "1") for name in case.path_parameters or {}}
        with rolled_back():
            with writes() as wrote:
                answer = case.call(app=application, headers={"Authorization": world.credentials[0]})
            changed = answer.status_code >= 400 and wrote and digest() != before
        findings.statuses[answer.status_code] += 1
        findings.addresses.add(operation.path)
        if changed:
            fault = f"{answer.status_code} at {operation.label}, and the database changed"
            findings.faults.setdefault(fault, ascii(case.body)[:300])
        try:
            case.validate_response(answer, checks=CHECKS)
        except Exception as error:  # schemathesis raises groups of failures
            findings.faults.setdefault(f"{operation.label}: {type(error).__name__}", ascii(str(error))[:600])
        step(1)

    send()
