"""A report before it is written: figures, tables, charts, comparisons with the paper, and remarks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Cell = str | int | float | None
SIZE = (7.0, 4.2)
"""Width and height of a chart in inches."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table: a CSV file of this name, and a part of the page if it is short enough to read."""

    name: str
    """The file's name without ending, such as "table_1"."""
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    on_page: bool = True


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart: an SVG and a PNG file of this name."""

    name: str
    title: str
    draw: Callable[[Any], None]
    """Draws on a matplotlib Figure."""
    size: tuple[float, float] = SIZE


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A picture that is drawn already: a JPEG file of this name."""

    name: str
    title: str
    data: bytes
    """The contents of the file."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside the paper's. `remark`: the reason if the two are not comparable, or empty."""

    figure: str
    """The name of our figure, or the paper's row if ours is missing."""
    paper: float
    remark: str = ""


@dataclass
class Report:
    """The result of a step."""

    title: str
    n: int
    """The number of scored things: images, phrases."""
    unit: str
    """The things that n counts, such as "phrases"."""
    figures: dict[str, float] = field(default_factory=dict)
    """Shares in percent; content selection as fractions. Not rounded."""
    tables: list[ReportTable] = field(default_factory=list)
    charts: list[ReportChart] = field(default_factory=list)
    drawings: list[ReportPicture] = field(default_factory=list)
    compared: list[Compared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Sentences: what was left out, what is not comparable."""
    missing: dict[str, str] = field(default_factory=dict)
    """Rows that could not be made, each with what it needs: "not reproduced: needs ..."."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings beside the options of the step."""
    split: dict[str, Sequence[str]] = field(default_factory=dict)
    """The names of the images, by what they were used for: "scored", "fitted on"."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Other text files by name, such as lists of ids."""

    def table(
        self, name: str, title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, on_page: bool = True
    ) -> None:
        """Add a table."""
        self.tables.append(ReportTable(name, title, columns, rows, on_page))

    def leave_out(self, names: Sequence[str], what: str) -> None:
        """Count the things of a file that are not scored, and say so. `what`: such as "images of the file"."""
        if names:
            self.figures["unknown"] = len(names)
            some = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            self.notes.append(f"{len(names):,} {what} are not in the data: {some}. They are ignored.")

    def put(self, figures: Mapping[str, float], prefix: str = "") -> None:
        """Add figures, their names behind the prefix."""
        self.figures.update({f"{prefix}{name}": value for name, value in figures.items()})
