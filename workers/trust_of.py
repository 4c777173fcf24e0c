"""A worker's trust as the rules of trust take it, and as its row keeps it."""

from dataclasses import asdict
from typing import Any

from workers import models
from workers.rules.trust_states import Trust, TrustState

BY_HAND = Trust(TrustState.TRUSTED, passed_test=True)
"""Of a worker without a row: whoever gave the access trusts them."""


def from_row(row: models.TrustStatus | None) -> Trust:
    if row is None:
        return BY_HAND
    names = (name for name in asdict(BY_HAND) if name not in ("state", "resumes"))
    values: dict[str, Any] = {name: getattr(row, name) for name in names}
    return Trust(TrustState(row.state), resumes=TrustState(row.resumes) if row.resumes else None, **values)


def to_columns(trust: Trust) -> dict[str, Any]:
    """The row's columns, but for whose it is."""
    values = asdict(trust)
    return values | {"state": trust.state.value, "resumes": trust.resumes.value if trust.resumes else ""}


def trust_of(worker_id: int, project_id: int, task: str) -> Trust:
    """Where the worker stands on the task."""
    return from_row(models.TrustStatus.objects.filter(worker=worker_id, project_id=project_id, task=task).first())
