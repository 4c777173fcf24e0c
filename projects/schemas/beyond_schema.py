"""Faults that no schema can tell, by the readers that imports and evaluations use: references, spans, boxes outside."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from evaluation.content_selection.read_scenes import read_scenes_file
from evaluation.errors import InputError
from evaluation.foil.human.votes import read_votes
from evaluation.foil.models.box_aware import read_detections
from evaluation.oracle.run_visual import read_votes as read_atom_votes
from evaluation.reading.predictions.coco_results import read_results
from evaluation.reading.predictions.replies import is_reply, read_reply
from evaluation.reading.predictions.rows import read_row
from exchange.dataset import Problem
from exchange.formats.coco.read import read_coco
from exchange.formats.format import Reader
from exchange.formats.hub.read import read_hub
from exchange.formats.hub.write import METADATA
from exchange.formats.mdetr.read import read_mdetr
from exchange.formats.odvg.read import read_odvg
from exchange.formats.picture_files import FolderPictures
from exchange.import_image import beyond_bounds
from exchange.problems import SourceError
from pipeline.protocol.tasks.task import Task
from projects.schemas.jsonl_references import wrong_references
from projects.schemas.values import Fault, lines_of, whole
from surveys.read_items import faults_in


def _imported(path: Path, reader: Reader, name: str, others: Mapping[str, str] | None = None) -> Iterator[Fault]:
    """Read the file as an import does, without pictures, and yield what it complains of.

    `name`: by which the reader finds it. `others`: files beside it that belong to it, by the names for the reader.
    """
    with tempfile.TemporaryDirectory() as folder:
        for own, file in {**{name: path.name}, **(others or {})}.items():
            if (path.parent / file).is_file():
                (Path(folder) / own).symlink_to((path.parent / file).resolve())
        try:
            for found in reader(Path(folder), FolderPictures(Path(folder))):
                if isinstance(found, Problem):
                    yield _fault(found, name)
                elif words := beyond_bounds(found):
                    yield _fault(Problem(name, None, found.path or found.name, words), name)
        except SourceError as error:
            yield _fault(error.problem, name)


def _fault(problem: Problem, name: str) -> Fault:
    where = "" if problem.file in (name, "") or problem.file.startswith("/") else f"{problem.file}: "
    left_out = f" (image {problem.image} would be left out)" if problem.image else ""
    return Fault(problem.line, f"{where}{problem.message}{left_out}")


def _coco_folder(path: Path, name: str) -> Iterator[Fault]:
    """Read captions and boxes together; boxes alone are not read."""
    names = ("captions.json", "instances.json")
    other = names[1 - names.index(name)]
    beside = path.name.replace(name.removesuffix(".json"), other.removesuffix(".json"))
    if name == names[0] or (beside != path.name and (path.parent / beside).is_file()):
        yield from _imported(path, read_coco, name, {other: beside} if beside != path.name else {})


def _hub(path: Path) -> Iterator[Fault]:
    """Rows without a size take that of the picture beside them."""
    yield from _imported(path, lambda folder, _: read_hub(folder, FolderPictures(path.parent)), METADATA)


def _refused(path: Path, read: Callable[[Path], object]) -> Iterator[Fault]:
    """Yield the one fault for which an evaluation refuses the file."""
    try:
        read(path)
    except InputError as error:
        yield Fault(None, str(error).removesuffix("."))


def _predictions(path: Path) -> Iterator[Fault]:
    for read in lines_of(path):
        try:
            (read_reply if is_reply(read.value) else read_row)(read.value, "the line")
        except InputError as error:
            yield Fault(read.line, str(error).removesuffix("."))


def _results(path: Path) -> Iterator[Fault]:
    """Look categories up in the file alone: a bare list takes those of the data."""
    value = whole(path).value
    if isinstance(value, dict) and "categories" in value:
        yield from _refused(path, lambda _: read_results(value, {}))


def _items(path: Path, task: Task) -> Iterator[Fault]:
    yield from (Fault(line, words.removesuffix(".")) for line, words in faults_in(path, task))


BEYOND: Mapping[str, Callable[[Path], Iterable[Fault]]] = {
    "jsonl": wrong_references,
    "coco": partial(_imported, reader=read_coco, name="whole.json"),
    "coco-captions": partial(_coco_folder, name="captions.json"),
    "coco-instances": partial(_coco_folder, name="instances.json"),
    "mdetr": partial(_imported, reader=read_mdetr, name="rows.json"),
    "odvg": partial(_imported, reader=read_odvg, name="rows.jsonl"),
    "hub": _hub,
    "caption-check": partial(_items, task=Task.CAPTION_CHECK),
    "atom-visual": partial(_items, task=Task.ATOM_VISUAL),
    "predictions": _predictions,
    "coco-results": _results,
    "foil-votes": partial(_refused, read=read_votes),
    "atom-votes": partial(_refused, read=read_atom_votes),
    "detections": partial(_refused, read=read_detections),
    "scenes": partial(_refused, read=read_scenes_file),
}
"""By the name of a kind."""
