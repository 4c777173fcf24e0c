"""The figures of a whole set: what the notes, the table and the marks in its folder add up to."""

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from exchange.statistics.charts import BarChart, Bars, bar_chart
from studies.whole_set.meter import OWN, PARTS
from studies.whole_set.notes import Notes
from studies.whole_set.phases import TO_EXPORT
from studies.whole_set.progress_table import mark_rows, table_rows

NOT_COUNTED = ("draw", "write", "replay", "statistics")
"""The phases that are not part of the time from import to export."""
SETTLED = 2_000
"""Images after which memory should not grow any more."""
GREW, SHARE, OFTEN = 1.5, 0.005, 20
"""A statement is told if its mean time grew by this factor, it took this share of all, and ran this often."""


def figures_of(folder: Path, notes: Notes) -> dict[str, Any]:
    """Return all figures of a set that is done. Milliseconds and statements are for one judgment."""
    done, seconds = notes.done, notes.seconds
    images, judgments = done["import"]["images"], done["annotate"]["judgments"]
    marks = [row for row in mark_rows(folder).read() if row["judgments"]]
    rows = table_rows(folder).read()
    tenths = {name: _between(marks, *part) for name, part in (("first_tenth", (0.0, 0.1)), ("last_tenth", (0.9, 1.0)))}
    exports = {one: seconds[f"export {one}"] for one in TO_EXPORT}
    return {
        "simulated": True,
        "images": images,
        "judgments": judgments,
        "judgments_by_programs": done["annotate"].get("by_programs", 0),
        "judgments_per_image": judgments / images,
        "seconds": sum(spent for phase, spent in seconds.items() if phase not in NOT_COUNTED),
        "replay_equal": done["replay"]["equal"],
        "merged": done["merge"]["merged"],
        "phases": seconds,
        "starts": notes.starts,
        **tenths,
        "last_over_first": _ratio(tenths, "ms"),
        "statements": {name: tenth.get("statements") for name, tenth in tenths.items()},
        "exported_per_second": {one: images / max(spent, 1e-9) for one, spent in exports.items()},
        "memory": _memory([row for row in rows if row["phase"] == "annotate"]),
        "grew": _grew(folder),
        "section_3_4": done["statistics"]["section_3_4"],
    }


def _ratio(tenths: Mapping[str, Mapping[str, float]], name: str) -> float | None:
    first, last = (tenths[part].get(name) for part in ("first_tenth", "last_tenth"))
    return last / first if first and last else None


def _between(marks: Sequence[Mapping[str, Any]], start: float, end: float) -> dict[str, float]:
    """Return what a judgment cost between two shares of all judgments."""
    if len(marks) < 3:
        return {}
    counts = [mark["judgments"] for mark in marks]
    low, high = (counts[0] + share * (counts[-1] - counts[0]) for share in (start, end))
    part = marks[bisect_left(counts, low) + (start > 0) : bisect_left(counts, high) + 1] or marks[-1:]
    answers = sum(mark["answers"] for mark in part) or 1
    found = {"ms": 1000 * (_at(marks, counts, high) - _at(marks, counts, low)) / ((high - low) or 1)}
    found |= {name: sum(mark[name] for mark in part) / answers for name in ("statements", "cpu")}
    return found | {"cpu_ms": 1000 * found.pop("cpu")}


def _at(marks: Sequence[Mapping[str, Any]], counts: Sequence[float], judgments: float) -> float:
    """Return the seconds after which so many judgments were there, between two marks in proportion."""
    place = min(max(bisect_left(counts, judgments), 1), len(marks) - 1)
    before, after = marks[place - 1], marks[place]
    step = after["judgments"] - before["judgments"]
    share = (judgments - before["judgments"]) / step if step else 1.0
    return float(before["seconds"] + share * (after["seconds"] - before["seconds"]))


def _memory(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the megabytes of each process after SETTLED images, or in the first row of a small set, and at most."""
    later = [row for row in rows if row["images"] >= SETTLED] or list(rows)
    found = {}
    for part in PARTS:
        told = [row[f"mb_{part}"] for row in later if row[f"mb_{part}"]]
        if told:
            found[part] = {"settled": told[0], "most": max(told), "ratio": max(told) / told[0]}
    return found


def _grew(folder: Path) -> list[dict[str, Any]]:
    """Return the statements of answers and jobs whose mean time grew between the first and the last rows."""
    file = folder / "statements.jsonl"
    if not file.exists():
        return []
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    costs = [one["costs"] for one in told if one["phase"] == "annotate"]
    if len(costs) < 4:
        return []
    side = max(1, len(costs) // 5)
    first, last = _spent(costs[0], costs[side]), _spent(costs[-1 - side], costs[-1])
    total = sum(spent for _, spent in last.values()) or 1.0
    words = json.loads((folder / "statement_words.json").read_text(encoding="utf-8"))
    found = []
    for key, (calls, spent) in last.items():
        before_calls, before = first.get(key, (0, 0.0))
        if min(calls, before_calls) < OFTEN or not before or spent / total < SHARE:
            continue
        factor = (spent / calls) / (before / before_calls)
        if factor > GREW:
            told_words = words.get(key, "")[:300]
            found.append({"factor": factor, "ms": spent / calls, "share": spent / total, "statement": told_words})
    return sorted(found, key=lambda one: -one["share"])


def _spent(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[int, float]]:
    """Return the runs of each statement between two rows and their milliseconds."""
    none = (0, 0.0)
    return {key: (one[0] - before.get(key, none)[0], one[1] - before.get(key, none)[1]) for key, one in after.items()}


def write_charts(folder: Path) -> list[Path]:
    """Draw the time and the memory of every thousand images. Returns the files."""
    rows = [row for row in table_rows(folder).read() if row["phase"] == "annotate"]
    if not rows:
        return []
    parts = [part for part in (OWN, "soon", "postgres") if rows[0][f"mb_{part}"]]
    before = [{"seconds": 0.0, "images": 0.0}, *rows[:-1]]
    charts = {
        "time.svg": BarChart(
            "Seconds to annotate a thousand images, by images finished",
            "A simulated crowd; a bar for every row of the table.",
            ("seconds",),
            tuple(
                Bars(
                    f"{row['images']:,.0f}",
                    (1000 * (row["seconds"] - last["seconds"]) / (row["images"] - last["images"]),),
                )
                for last, row in zip(before, rows, strict=True)
            ),
        ),
        "memory.svg": BarChart(
            "Megabytes of each process, by images finished",
            "Memory of its own after so many images; a bar for every row of the table.",
            tuple(parts),
            tuple(Bars(f"{row['images']:,.0f}", tuple(row[f"mb_{part}"] or 0.0 for part in parts)) for row in rows),
        ),
    }
    for name, chart in charts.items():
        (folder / name).write_text(bar_chart(chart), encoding="utf-8")
    return [folder / name for name in charts]
