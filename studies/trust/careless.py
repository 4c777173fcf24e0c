"""Trust study, part c: judgments leaked by careless workers against honest workers barred, for coreference links."""

from functools import partial
from typing import Any

from pipeline.rules.settings.protocol import MINIMUM
from pipeline.rules.tasks.task import Task
from simulation.trust_crowd import WorkerKind, people
from studies.trust.career import Career, run_career, settings_with
from studies.trust.mixes import BARE, EXACT, Case, Row, Size, honest_columns, mean_real

CHANGES: dict[str, dict[str, Any]] = {
    "interval, 30 (the protocol's)": EXACT,
    "interval, 30 to 60 (default)": {},
    "interval, 60": {"probation": 60, "probation_most": 60},
    "interval, 30 to 120": {"probation_most": 120},
    "interval, 30 to 120, then 5 %": {"probation_most": 120, "trusted_rate": 0.05},
    "bare, 30": BARE,
    "bare, 60": {**BARE, "probation": 60, "probation_most": 60},
    "bare, 120": {**BARE, "probation": 120, "probation_most": 120},
}
STOCK = 400
"""Enough for 5 % of the work after two long probations."""


def careless_curve(size: Size) -> list[Case]:
    """A row for every minimum and setting; the default minimum is 80 %."""
    return [partial(_row, minimum, name, size) for minimum in (0.75, 0.80, 0.85) for name in CHANGES]


def _row(minimum: float, name: str, size: Size) -> Row:
    settings = settings_with(minimum=minimum, **CHANGES[name])

    def run(kind: WorkerKind) -> list[Career]:
        crowd = people(Task.COREFERENCE_LINK, kind, 2 * size.people, size.seed)
        return [run_career(one, settings, work=size.work, stock=STOCK) for one in crowd]

    row: Row = {
        "minimum": minimum,
        "setting": name,
        "leaked by 75 %": round(mean_real(run(WorkerKind.CARELESS_75), size.work)),
        "leaked by 65 %": round(mean_real(run(WorkerKind.CARELESS_65), size.work)),
    }
    return row | honest_columns(run(WorkerKind.HONEST), MINIMUM[Task.COREFERENCE_LINK])
