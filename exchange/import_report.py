"""The report of an import: counts of what came of the source, and sentences about it."""

from collections import Counter
from dataclasses import dataclass, field

from exchange.dataset import Detail, Problem, Remark
from runtime.words import counted

CUT, left_out = "cut at the edge of the picture", "left out"
MOST_DETAILS = 20_000
"""Details that are named; all are counted."""


@dataclass(slots=True)
class ImportReport:
    """The result of an import: each image of the source is imported, or was there already, or is left out."""

    images: int = 0
    already_there: int = 0
    """Images that the project has already: skipped, but for pictures that they lacked."""
    problems: list[Problem] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    details: Counter[str] = field(default_factory=Counter)
    """Parts of images that were cut or left out, while the images stay."""
    mentions: int = 0
    waiting_for_phrases: int = 0
    columns: str = ""
    """The way in which a table of captions was read, in words."""
    with_picture: int = 0
    """Of those imported."""
    pictures_added: int = 0
    """Of those already there."""
    pictures_used: int = 0
    pictures_in_source: int = 0
    known_boxes: int = 0
    """Boxes with a category and without a chain, of those imported."""
    with_chains: int = 0
    """Of those imported, images that came with chains."""
    chains: int = 0
    chain_boxes: int = 0
    """Boxes of these chains."""
    ids: list[int] = field(default_factory=list)
    """Images of the project that the source has, imported now or before."""

    @property
    def left_out(self) -> int:
        return len({problem.left_out for problem in self.problems if problem.left_out})

    def add_detail(self, detail: Detail) -> None:
        """Count a part of an image that was cut or left out, and name the first ones among the problems."""
        self.details[CUT if detail.cut else left_out] += 1
        if self.details.total() <= MOST_DETAILS:
            self.problems.append(detail)

    @property
    def why_nothing(self) -> str:
        """Say why nothing of the source is in the project; empty if anything is."""
        if self.images or self.already_there:
            return ""
        reasons = [problem for problem in self.problems if problem.image] or self.problems
        why = f"{counted(self.left_out, 'image')} left out, the first as {reasons[0]}" if reasons else "it has no image"
        return f"Nothing was imported: {why}."


def source_in_words(report: ImportReport) -> str:
    """Return sentences for people: what was read in another way than it was said, and what became of pictures."""
    said = [f"{remark.message}." for remark in report.remarks]
    said += [f"Details {what}: {report.details[what]:,}." for what in (CUT, left_out) if report.details[what]]
    if report.pictures_in_source:
        said.append(f"Pictures used: {report.pictures_used:,} of {report.pictures_in_source:,} in the source.")
    if report.pictures_added:
        said.append(f"{counted(report.pictures_added, 'picture')} added to images that came without.")
    if lacking := report.images - report.with_picture:
        images = "1 image has" if lacking == 1 else f"{lacking:,} images have"
        said.append(f"{images} no picture: nobody is asked about boxes there, until you import them with pictures.")
    return " ".join(said)
