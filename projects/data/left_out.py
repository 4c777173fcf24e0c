"""Problems of a run, for its page: a line for each reason with its images, and the file that can be replaced."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from exchange.formats.pictures import is_picture
from projects.data.operations import begin_import
from projects.data.sources import UPLOADED
from projects.models import ImportProblem, Run
from projects.uploads.received import Received

MOST_READ, MOST_REASONS, MOST_NAMED = 5_000, 50, 200
"""Problems that are read for the page, reasons that it shows, and images that it names for each."""
_SOME = "…"
_PLACES = re.compile(r"\[[^\]]*\]")
_PICTURE = re.compile(r"\([^()]*\)$")


@dataclass(slots=True)
class Reason:
    """A reason, and what was left out for it. A name within the reason is left open: "the picture … is missing"."""

    message: str
    problems: list[ImportProblem] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.problems)

    @property
    def counted(self) -> str:
        return f"{self.count:,} {'images' if self.problems[0].image else 'places'}"

    @property
    def named(self) -> Sequence[ImportProblem]:
        return self.problems[:MOST_NAMED]

    @property
    def more(self) -> int:
        return max(0, self.count - MOST_NAMED)


def reasons_left_out(run: Run) -> list[Reason]:
    """Return the reasons, the commonest first. A reason of a single image is told as it is."""
    found: dict[str, Reason] = {}
    for problem in run.problems.all()[:MOST_READ]:
        text = _without_name(problem)
        found.setdefault(text, Reason(text)).problems.append(problem)
    for reason in found.values():
        if reason.count == 1:
            reason.message = reason.problems[0].message
    return sorted(found.values(), key=lambda reason: -reason.count)[:MOST_REASONS]


def _without_name(problem: ImportProblem) -> str:
    """Return the message without the words that name this image, its picture or its place in the file.

    Of a detail of an image that stays these are places and edges, [3], and the path of its picture at the end, (a.jpg).
    """
    name = PurePosixPath(problem.image).name
    words = problem.message.split(" ")
    if not name:
        return _PLACES.sub(f"[{_SOME}]", _PICTURE.sub(f"({_SOME})", problem.message))
    stem = PurePosixPath(name).stem
    if words[0].endswith("]:"):  # a place in the file, such as images[3]:
        del words[0]
    return " ".join(_SOME if stem in word else word for word in words)


def replaceable(run: Run, files: Sequence[Received]) -> str:
    """Return the path of the file that the run's problem names; empty if it names none of the uploaded files."""
    if run.state != Run.State.FAILED or run.operation != begin_import.name or run.input["source"]:
        return ""
    texts = [file.path for file in files if not is_picture(file.path)]
    if len(texts) == 1 and texts[0].lower().endswith(".zip"):
        return texts[0]
    named = [path for path in texts if run.problem.startswith((f"{path}:", f"{UPLOADED}/{path}:"))]
    return named[0] if named else ""
