"""A worker's trust, translated between its database row and the value that the rules take."""

from dataclasses import asdict, fields
from typing import Any

from workers.models import TrustStatus
from workers.rules.trust_states import Trust, TrustState

BY_HAND = Trust(TrustState.TRUSTED, passed_test=True)
"""The trust of a worker without a row: being given access made them trusted."""


def from_row(row: TrustStatus | None) -> Trust:
    """Return the trust that the row holds."""
    if row is None:
        return BY_HAND
    names = (one.name for one in fields(Trust) if one.name not in ("state", "resumes"))
    values: dict[str, Any] = {name: getattr(row, name) for name in names}
    return Trust(TrustState(row.state), resumes=TrustState(row.resumes) if row.resumes else None, **values)


def to_columns(trust: Trust) -> dict[str, Any]:
    """Return the row's columns for this trust, without the worker, the project and the task."""
    values = asdict(trust)
    return values | {"state": trust.state.value, "resumes": trust.resumes.value if trust.resumes else ""}


def trust_of(worker_id: int, project_id: int, task: str) -> Trust:
    """Read the worker's trust on the task."""
    return from_row(TrustStatus.objects.filter(worker=worker_id, project_id=project_id, task=task).first())
