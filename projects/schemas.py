"""Kinds of files that people meet, each with the type of its rows; and the check of a file by schema and by reader."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evaluation.content_selection.scenes import SceneLine, SentenceLine, read_scenes_file
from evaluation.errors import InputError
from evaluation.foil.human import VoteLine, read_caption_votes
from evaluation.foil.item import CaptionRow, FoilItem
from evaluation.foil.models import DetectionLine, read_detections
from evaluation.foil.models import PredictionLine as FoilPredictionLine
from evaluation.localization.proposals import ProposalLine
from evaluation.oracle.atoms import AtomVote
from evaluation.oracle.atoms import read_votes as read_atom_votes
from evaluation.oracle.score import CaptionResult
from evaluation.reading.predictions.rows import (
    PredictionLine,
    ReplyLine,
    ResultRow,
    ResultsFile,
    is_reply,
    read_reply,
    read_results,
    read_row,
)
from evaluation.write_report import ReportFile, SplitFile
from exchange.formats.schema.check_file import FaultWords, guess_kind
from exchange.formats.schema.kind import FileFault, FileKind, check_file, lines_of, whole
from exchange.formats.schema.make_schema import is_quickly_valid, schema_of
from exchange.registry import FORMATS
from pipeline.protocol.tasks.task import Task
from projects.archive.manifest import ArchiveManifest
from projects.corrected.changes import ChangeLine
from projects.gold.sheets import GoldLine
from projects.label_errors.operations import DoubtLine, WrongRow
from surveys.read_items import faults_in
from surveys.rules.items import AtomLine, CaptionLine
from surveys.votes import Vote


def _refused(path: Path, read: Callable[[Path], object]) -> Iterator[FileFault]:
    """Yield the one fault for which an evaluation refuses the file."""
    try:
        read(path)
    except InputError as error:
        yield FileFault(None, str(error).removesuffix("."))


def _predictions(path: Path) -> Iterator[FileFault]:
    for read in lines_of(path):
        try:
            (read_reply if is_reply(read.value) else read_row)(read.value, "the line")
        except InputError as error:
            yield FileFault(read.line, str(error).removesuffix("."))


def _results(path: Path) -> Iterator[FileFault]:
    """Look categories up in the file alone: a bare list takes those of the data."""
    value = whole(path).value
    if isinstance(value, dict) and "categories" in value:
        yield from _refused(path, lambda _: read_results(value, {}))


def _items(path: Path, task: Task) -> Iterator[FileFault]:
    yield from (FileFault(line, words.removesuffix(".")) for line, words in faults_in(path, task))


OTHER_KINDS: tuple[FileKind, ...] = (
    FileKind(
        "caption-check",
        "Items of a survey about captions",
        CaptionLine,
        passes_over=True,
        faults=partial(_items, task=Task.CAPTION_CHECK),
    ),
    FileKind(
        "atom-visual",
        "Items of a survey about words, as `oracle atoms` writes them, too",
        AtomLine,
        passes_over=True,
        faults=partial(_items, task=Task.ATOM_VISUAL),
    ),
    FileKind("votes", "Votes of a survey, as `survey_export` writes them", Vote),
    FileKind("gold", "Annotations to make known questions of", GoldLine, passes_over=True),
    FileKind("doubts", "Labels of a checked data set, as `manage.py doubts` writes them", DoubtLine),
    FileKind(
        "wrong-labels", "Shares of wrong labels, as `wrong_labels --json` writes them", list[WrongRow], is_lines=False
    ),
    FileKind(
        "predictions",
        "Predictions of boxes and chains, or replies of models",
        PredictionLine | ReplyLine,
        faults=_predictions,
    ),
    FileKind("changes", "What a check has changed of a data set's labels, as `changes` writes it", ChangeLine),
    FileKind(
        "archive",
        "manifest.json of an archive, as `archive_project` writes it",
        ArchiveManifest,
        is_lines=False,
        passes_over=True,
    ),
    FileKind(
        "coco-results",
        "Predicted boxes as COCO's results",
        ResultsFile | list[ResultRow],
        is_lines=False,
        passes_over=True,
        faults=_results,
    ),
    FileKind("proposals", "Boxes in which phrases may be", ProposalLine, passes_over=True),
    FileKind("foil-items", "items.jsonl of `foil generate`", FoilItem, passes_over=True),
    FileKind("foil-captions", "captions.jsonl of `foil generate`", CaptionRow),
    FileKind("foil-predictions", "Answers of a model to FOIL's three tasks", FoilPredictionLine, passes_over=True),
    FileKind(
        "foil-votes",
        "Votes that `foil score` and `foil agreement` read",
        VoteLine,
        passes_over=True,
        faults=partial(_refused, read=read_caption_votes),
    ),
    FileKind(
        "atom-votes",
        "Votes that `oracle visual` reads",
        AtomVote,
        passes_over=True,
        faults=partial(_refused, read=read_atom_votes),
    ),
    FileKind(
        "detections",
        "Objects in images, for `foil score`",
        DetectionLine,
        passes_over=True,
        faults=partial(_refused, read=read_detections),
    ),
    FileKind(
        "scenes",
        "Labelled boxes with descriptions, for `content_selection`",
        SceneLine,
        passes_over=True,
        faults=partial(_refused, read=read_scenes_file),
    ),
    FileKind(
        "sentences", "Chosen boxes, or sentences about them, for `content_selection`", SentenceLine, passes_over=True
    ),
    FileKind(
        "caption-results",
        "Captions of a model, for `oracle score`",
        list[CaptionResult],
        is_lines=False,
        passes_over=True,
    ),
    FileKind("report", "report.json of an evaluation", ReportFile, is_lines=False),
    FileKind("split", "split.json of an evaluation", SplitFile, is_lines=False),
)
"""Kinds of files beside those of formats: of surveys, checks, archives and evaluations."""


def kinds() -> dict[str, FileKind]:
    """Return every kind of file by its name: those of formats first."""
    of_formats = (kind for known in FORMATS.values() for kind in known.kinds)
    return {kind.name: kind for kind in (*of_formats, *OTHER_KINDS)}


@dataclass
class FileCheck:
    """The result of a check."""

    kind: FileKind
    lines: int = 0
    """Lines that hold a value; 1 of a file that is one value."""
    count: int = 0
    """The number of faults."""
    faults: list[FileFault] = field(default_factory=list)
    """The first of them."""


def validate_file(path: Path, name: str = "", *, most: int, step: Callable[[], object] = lambda: None) -> FileCheck:
    """Check a file as a kind of this name; empty: as the kind that it looks like. Keeps `most` faults.

    The readers of the kind are asked only about a file that its schema has nothing against. `step` is called for each
    line. Raises Unreadable for a file that cannot be looked at, or looks like no kind.
    """
    check_file(path)
    checked = FileCheck(kinds()[name] if name else guess_kind(path, kinds()))
    for fault in _by_schema(path, checked, step):
        _add(checked, fault, most)
    if not checked.count:
        for fault in checked.kind.faults(path):
            _add(checked, fault, most)
    return checked


def _add(checked: FileCheck, fault: FileFault, most: int) -> None:
    checked.count += 1
    if checked.count <= most:
        checked.faults.append(fault)


def _by_schema(path: Path, checked: FileCheck, step: Callable[[], object]) -> Iterator[FileFault]:
    """Yield the faults by the schema, and count lines."""
    kind = checked.kind
    words = FaultWords(schema_of(kind), "the line" if kind.is_lines else "the file")
    quick = is_quickly_valid(kind)
    for read in lines_of(path) if kind.is_lines else [whole(path)]:
        checked.lines += 1
        step()
        if read.fault:
            yield FileFault(read.line, read.fault)
        elif not quick(read.value):
            yield from (FileFault(read.line if kind.is_lines else None, message) for message in words.of(read.value))
    if not checked.lines:
        yield FileFault(None, "holds nothing but white space")
