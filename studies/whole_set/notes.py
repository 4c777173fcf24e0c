"""The notes of a whole set in its folder: what was asked for, the phases that are done, times, and the figures so far.

They are written again and again, so that whatever ends the process loses a few seconds of the measurement, and none of
the work.
"""

import csv
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SAVED_EVERY = 2.0
"""Seconds between two saves within a phase."""


class Notes:
    """The notes of one whole set. `asked`: the options that must stay the same when it goes on."""

    def __init__(self, folder: Path, asked: Mapping[str, Any]) -> None:
        """Read the notes of the folder, or begin them. Raises ValueError if they are about another set."""
        self.folder = folder
        self._file = folder / "notes.json"
        kept: dict[str, Any] = {"asked": dict(asked)}
        if self._file.exists():
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        for name, value in asked.items():
            if kept["asked"].get(name) != value:
                told = f"{folder} holds a set with {name} {kept['asked'].get(name)}, not {value}"
                raise ValueError(f"{told}: give the same options, another --folder, or --anew.")
        self.seconds: dict[str, float] = kept.get("seconds", {})
        """Of each phase, without the time between a stop and the next start."""
        self.done: dict[str, dict[str, Any]] = kept.get("done", {})
        """The results of each phase that is done."""
        self.starts: int = kept.get("starts", 0)
        self._asked = kept["asked"]
        self._phase, self._since = "", 0.0

    def save(self) -> None:
        """Write the notes, all or nothing."""
        now = time.monotonic()
        if self._phase:
            self.seconds[self._phase] = self.seconds.get(self._phase, 0.0) + now - self._since
        self._since = now
        text = {"asked": self._asked, "starts": self.starts, "seconds": self.seconds, "done": self.done}
        beside = self._file.with_suffix(".new")
        beside.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")
        beside.replace(self._file)

    def save_now_and_then(self) -> None:
        if time.monotonic() - self._since > SAVED_EVERY:
            self.save()

    def seconds_of(self, phase: str) -> float:
        """Return the seconds of a phase so far."""
        return self.seconds.get(phase, 0.0) + (time.monotonic() - self._since if phase == self._phase else 0.0)

    @contextmanager
    def phase(self, name: str) -> Iterator[dict[str, Any]]:
        """Measure a phase. It is done when the block ends; what the block puts into the dictionary is its result."""
        self._phase, self._since = name, time.monotonic()
        found: dict[str, Any] = {}
        try:
            yield found
            self.done[name] = found
        finally:
            self.save()
            self._phase = ""


class Rows:
    """A CSV file to which rows are added while the work goes on."""

    def __init__(self, file: Path, columns: Sequence[str]) -> None:
        self.file, self.columns = file, columns
        if not file.exists():
            self._write(columns)
        elif not file.read_bytes().endswith(b"\n"):
            with file.open("a", encoding="utf-8") as cut_off:
                cut_off.write("\n")

    def add(self, row: Mapping[str, Any]) -> None:
        self._write([_plain(row.get(column)) for column in self.columns])

    def read(self) -> list[dict[str, Any]]:
        """Return the rows, numbers as numbers, without one that was cut off by a crash."""
        with self.file.open(newline="", encoding="utf-8") as file:
            rows = csv.DictReader(file)
            whole = [row for row in rows if None not in row.values()]
            return [{name: _number(cell) for name, cell in row.items()} for row in whole]

    def _write(self, cells: Sequence[Any]) -> None:
        with self.file.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerow(cells)


def _plain(value: Any) -> Any:
    return "" if value is None else round(value, 3) if isinstance(value, float) else value


def _number(cell: str) -> Any:
    try:
        return float(cell)
    except ValueError:
        return cell or None
