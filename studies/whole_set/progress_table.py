"""The table of a whole set: a row of figures for every thousand images, and marks between them."""

import json
import time
from pathlib import Path

from annotation.models import Project
from studies.whole_set.meter import OWN, PARTS, Meter, sizes, statement_costs
from studies.whole_set.next_question import planning_times
from studies.whole_set.notes import Notes, Rows

EVERY = 1_000
"""Images of a row; a tenth of a small set."""
MARK_SECONDS = 1.0
"""Seconds between two marks. A mark counts judgments and seconds, so that tenths can be told exactly."""
COLUMNS = (
    *("phase", "images", "judgments", "seconds"),
    *(
        "plan_ms",
        "plan_worst_ms",
        "statements_per_answer",
        "job_statements_per_answer",
        "ask_ms",
        "ask_worst_ms",
        "submit_ms",
        "submit_worst_ms",
    ),
    *(f"cpu_{part}" for part in PARTS),
    *(f"mb_{part}" for part in PARTS),
    *("database_mb", "indexes_mb", "dead"),
)
MARKS = ("judgments", "images", "seconds", "cpu", "statements", "answers")
"""The first three in all; the others since the mark before, of this process."""


class ProgressTable:
    """Adds a row to the table of one phase whenever another thousand images is through."""

    def __init__(self, folder: Path, phase: str, notes: Notes, meter: Meter, images: int) -> None:
        self.phase, self.notes, self.meter = phase, notes, meter
        self.project: Project | None = None
        """The project whose next questions are measured."""
        self.every = max(1, min(EVERY, images // 10))
        self._rows = table_rows(folder)
        self._marks = mark_rows(folder)
        self._costs = folder / "statements.jsonl"
        done = [row["images"] for row in self._rows.read() if row["phase"] == phase]
        self._next = (int(max(done, default=0)) // self.every + 1) * self.every
        self._marked = 0.0
        self._last = self._counts()

    def reached(self, images: int, judgments: int | None = None) -> None:
        """Note that so many images are through."""
        if judgments is not None and time.monotonic() - self._marked > MARK_SECONDS:
            self._mark(images, judgments)
        if images < self._next:
            return
        self._next = (images // self.every + 1) * self.every
        row = {"phase": self.phase, "images": images, "judgments": judgments}
        row |= {"seconds": self.notes.seconds_of(self.phase), **self.meter.row(), **sizes()}
        row |= planning_times(self.project) if self.project else {}
        self._rows.add(row)
        if costs := statement_costs():
            told = {"phase": self.phase, "images": images, "costs": costs}
            with self._costs.open("a", encoding="utf-8") as file:
                file.write(json.dumps(told) + "\n")

    def _mark(self, images: int, judgments: int) -> None:
        self._marked = time.monotonic()
        counts = self._counts()
        since = {name: counts[name] - self._last[name] for name in counts}
        self._last = counts
        seconds = self.notes.seconds_of(self.phase)
        self._marks.add({"judgments": judgments, "images": images, "seconds": seconds, **since})

    def _counts(self) -> dict[str, float]:
        meter = self.meter
        return {"statements": meter.all_statements, "answers": meter.all_answers, "cpu": meter.cpu().get(OWN, 0.0)}


def table_rows(folder: Path) -> Rows:
    return Rows(folder / "table.csv", COLUMNS)


def mark_rows(folder: Path) -> Rows:
    return Rows(folder / "marks.csv", MARKS)
