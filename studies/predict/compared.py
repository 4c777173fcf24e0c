"""Figures of the study: predicted, and then reached; kept in a file, so that a study goes on where it ended."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from simulation.predict.estimate import Estimate

FIGURES = ("judgments", "cents", "exact")
NEAR = {"judgments": 0.15, "cents": 0.15, "exact": 3.0}
"""The error that a prediction should not exceed: shares, and points of exact chains."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure: predicted and then reached."""

    crowd: str
    run: int
    when: str
    """"before" or "at half"."""
    figure: str
    """"judgments", "cents", or "exact": the share of exactly right chains, 0 to 1."""
    predicted: Estimate
    reached: float

    @property
    def error(self) -> float:
        """Return the difference: of the share in points, of the others as a share of what was reached."""
        difference = self.predicted.value - self.reached
        return 100 * difference if self.figure == "exact" else difference / self.reached if self.reached else 0.0

    @property
    def is_near(self) -> bool:
        return abs(self.error) <= NEAR[self.figure]


def read_rows(file: Path, study: Mapping[str, object]) -> list[Compared]:
    """Return the figures in a file of this study; none if there is no file.

    `study`: what all runs have in common. Raises ValueError for a file of another study.
    """
    if not file.exists():
        return []
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    if json.loads(first) != dict(study):
        raise ValueError(f"{file} belongs to another study, {first}: name another file.")
    rows = [row for line in lines for row in json.loads(line)]
    return [Compared(**{**row, "predicted": Estimate(*row["predicted"])}) for row in rows]


def add_rows(file: Path, study: Mapping[str, object], rows: Iterable[Compared]) -> None:
    """Add the figures of one run to the file, in one line."""
    line = json.dumps([asdict(row) for row in rows])
    begun = file.exists()
    with file.open("a", encoding="utf-8") as out:
        out.write(line + "\n" if begun else json.dumps(dict(study)) + "\n" + line + "\n")


def table(found: Sequence[Compared]) -> str:
    """Format, for each crowd, moment and figure: errors, intervals, how often these held, and how often it was near."""
    lines = [
        f"{'':<36}{'':<9}{'':<11}{'mean error':>12}{'largest':>11}{'90 % interval':>15}{'widest':>9}"
        f"{'held in':>10}{'near in':>10}"
    ]
    for crowd in dict.fromkeys(one.crowd for one in found):
        for when in ("before", "at half"):
            for figure in FIGURES:
                rows = [one for one in found if (one.crowd, one.when, one.figure) == (crowd, when, figure)]
                if rows:
                    lines.append(f"{crowd:<36}{when:<9}{figure:<11}{_figures(rows)}")
    return "\n".join(lines)


def _figures(rows: Sequence[Compared]) -> str:
    in_points = rows[0].figure == "exact"
    errors = [one.error for one in rows]
    widths = [50 * (one.predicted.high - one.predicted.low) if in_points else one.predicted.width for one in rows]
    held, near = sum(one.predicted.holds(one.reached) for one in rows), sum(one.is_near for one in rows)
    mean, largest = sum(errors) / len(errors), max(errors, key=abs)
    wide = sum(widths) / len(widths), max(widths)
    if in_points:
        said = f"{mean:+.1f} pts", f"{largest:+.1f} pts", f"± {wide[0]:.1f} pts", f"{wide[1]:.1f}"
    else:
        said = f"{mean:+.1%}", f"{largest:+.1%}", f"± {wide[0]:.1%}", f"{wide[1]:.1%}"
    counts = f"{f'{held} of {len(rows)}':>10}{f'{near} of {len(rows)}':>10}"
    return f"{said[0]:>12}{said[1]:>11}{said[2]:>15}{said[3]:>9}{counts}"
