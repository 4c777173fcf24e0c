"""A measured figure with its goal, and a description of the machine."""

import os
import platform
import sqlite3
from dataclasses import asdict, dataclass, field
from typing import Any

import django
from django.db import connection


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure. The goal is met at `goal` or better."""

    name: str
    what: str
    value: float
    unit: str
    goal: float
    most: bool
    """True if the goal is an upper bound of the value, False if it is a lower bound."""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        return self.value <= self.goal if self.most else self.value >= self.goal

    def as_json(self, *, full_size: bool) -> dict[str, Any]:
        """Return the figure for a file; `met` is None at small sizes, for which the goal does not hold."""
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
    """Describe the machine: cores, load, versions. Opens the database of this connection."""
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
