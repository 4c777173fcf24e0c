"""A measured figure with the goal beside it, and the machine it was measured on."""

import os
import platform
import sqlite3
from dataclasses import asdict, dataclass, field
from typing import Any

import django
from django.db import connection


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured. The goal is met at `goal` or better; which way is better, `most` says."""

    name: str
    what: str
    value: float
    unit: str
    goal: float
    most: bool
    """True: the goal is the most that `value` may be. False: the least."""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        return self.value <= self.goal if self.most else self.value >= self.goal

    def as_json(self, *, full_size: bool) -> dict[str, Any]:
        """With small sizes the goal says nothing, so `met` is None."""
        return asdict(self) | {"met": self.met if full_size else None}

    def as_text(self, *, full_size: bool) -> str:
        verdict = ("met" if self.met else "MISSED") if full_size else "not comparable at small sizes"
        bound = "at most" if self.most else "at least"
        lines = [f"{self.what}: {self.value:,.2f} {self.unit} (goal: {bound} {self.goal:g}; {verdict})"]
        return "\n".join([*lines, *(f"    {key}: {_plain(value)}" for key, value in self.details.items())])


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def machine() -> dict[str, Any]:
    """Cores and versions. Runs in a database that may be opened."""
    version = sqlite3.sqlite_version if connection.vendor == "sqlite" else _server_version()
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "system": platform.platform(),
        "python": platform.python_version(),
        "django": django.get_version(),
        "database": f"{connection.vendor} {version}",
    }


def _server_version() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0])
