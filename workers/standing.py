"""A worker's standing as the rules of trust take it, and as its row keeps it."""

from dataclasses import asdict
from typing import Any

from workers import models
from workers.rules.trust_states import Standing, State

BY_HAND = Standing(State.TRUSTED, passed_test=True)
"""Of a worker without a row: whoever gave the access trusts them."""


def from_row(row: models.Standing | None) -> Standing:
    if row is None:
        return BY_HAND
    names = (name for name in asdict(BY_HAND) if name not in ("state", "resumes"))
    values: dict[str, Any] = {name: getattr(row, name) for name in names}
    return Standing(State(row.state), resumes=State(row.resumes) if row.resumes else None, **values)


def to_columns(standing: Standing) -> dict[str, Any]:
    """The row's columns, but for whose it is."""
    values = asdict(standing)
    return values | {"state": standing.state.value, "resumes": standing.resumes.value if standing.resumes else ""}


def standing_of(worker_id: int, project_id: int, task: str) -> Standing:
    """Where the worker stands on the task."""
    return from_row(models.Standing.objects.filter(worker=worker_id, project_id=project_id, task=task).first())
