"""Real people's answers, replayed to the box tasks: the boxes that a worker drew in an image are what the worker sees.

So drawings are real, and judgments follow from them. A person who is shown a box may accept one that differs from their
own; here it counts as bad.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.rules.box import Box, iou
from belief.boxes.fit_box_errors import KnownAnswers
from belief.habits import KnownDrawing
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.words import joined_caption
from pipeline.protocol.tasks.answers import drawing
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task
from simulation.link_crowd import stable_uniform
from simulation.score import box_matches, match_boxes
from simulation.view import COVERED, KnownView, View

WIDTH, HEIGHT = 1280, 720
"""The size of every image, in pixels."""
PHRASE = ("the", "pedestrians")


@dataclass(frozen=True)
class RealImage:
    """One image with its gold boxes and the boxes of each worker who answered."""

    name: str
    gold: tuple[Box, ...]
    drawn: Mapping[int, tuple[Box, ...]]

    def as_dataset(self) -> DatasetImage:
        """Return the image with a chain of its own, whose boxes are the gold."""
        mention = DatasetMention(0, 0, len(PHRASE), ("people",), "1")
        boxes = tuple(DatasetBox(box, ("1",)) for box in self.gold)
        chain = DatasetChain("1", scene=not boxes)
        return DatasetImage(self.name, WIDTH, HEIGHT, (joined_caption(PHRASE),), (mention,), (chain,), boxes)


def read_real_images(folder: Path) -> list[RealImage]:
    """Read answers.csv, boxes.csv and gold.csv. Raises ValueError, which names the file, if one cannot be read."""
    drawn: dict[str, dict[int, list[Box]]] = defaultdict(dict)
    gold: dict[str, list[Box]] = defaultdict(list)
    for row in _rows(folder / "answers.csv", ("image", "worker")):
        drawn[row["image"]][int(row["worker"])] = []
    for row in _rows(folder / "boxes.csv", ("image", "worker", "x0", "y0", "x1", "y1")):
        drawn[row["image"]].setdefault(int(row["worker"]), []).append(_box(row))
    for row in _rows(folder / "gold.csv", ("image", "x0", "y0", "x1", "y1")):
        gold[row["image"]].append(_box(row))
    return [
        RealImage(name, tuple(gold[name]), {worker: tuple(boxes) for worker, boxes in sorted(answers.items())})
        for name, answers in sorted(drawn.items())
    ]


def _rows(file: Path, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    if not file.is_file():
        raise ValueError(f"{file}: there is no such file: give a folder with answers.csv, boxes.csv and gold.csv.")
    with file.open(newline="", encoding="utf-8") as lines:
        table = csv.DictReader(lines)
        if absent := [name for name in columns if name not in (table.fieldnames or ())]:
            raise ValueError(f"{file}: the column {absent[0]!r} is missing.")
        for row in table:
            try:
                yield {name: str(float(row[name])) if name[0] in "xy" else row[name] for name in columns}
            except (TypeError, ValueError):
                raise ValueError(f"{file}, line {table.line_num}: write numbers in x0 to y1.") from None


def _box(row: Mapping[str, str]) -> Box:
    """Round to whole pixels inside the image; a click without a drag becomes one pixel."""
    x0, y0, x1, y1 = (round(float(row[edge])) for edge in ("x0", "y0", "x1", "y1"))
    left, top = min(max(x0, 0), WIDTH - 1), min(max(y0, 0), HEIGHT - 1)
    return Box(left, top, min(max(x1, left + 1), WIDTH), min(max(y1, top + 1), HEIGHT))


def known_answers(image: RealImage, seed: int) -> Iterator[KnownAnswers]:
    """Ask all workers of the image whether all boxes are there: once all of the gold, and once all but one."""
    asked = [image.gold]
    if image.gold:
        hidden = int(stable_uniform(seed, "hidden", image.name) * len(image.gold))
        asked.append((*image.gold[:hidden], *image.gold[hidden + 1 :]))
    for shown in asked:
        said = [match_boxes(shown, list(own))[0] == len(own) for own in image.drawn.values()]
        right = said.count(shown == image.gold)
        yield KnownAnswers(right, len(said) - right)


def known_drawings(image: RealImage) -> Iterator[KnownDrawing]:
    """Yield what each worker drew of the image's gold."""
    for worker, own in image.drawn.items():
        for _, drawn, true in box_matches(own, image.gold):
            yield KnownDrawing(worker, own[drawn], image.gold[true])


class RealPeople:
    """Workers by their numbers in the files. Each answers about the images in which they drew."""

    def __init__(self, images: Sequence[RealImage], seed: int) -> None:
        self._drawn = {image.name: image.drawn for image in images}
        self._seed = seed

    def answer(self, view: View | KnownView, worker: int) -> object:
        """Return the answer that follows from the worker's own boxes. The seed decides which missing one is drawn."""
        own = list(self._drawn[view.image.key][worker])
        match view.task:
            case Task.BOX_REQUIREMENT:
                return (RequirementAnswer.BOX if own else RequirementAnswer.NO_BOX).value
            case Task.BOX_DRAWING:
                missing = [box for box in own if not any(iou(box, one) >= COVERED for one in view.boxes)]
                draw = stable_uniform(self._seed, "which", view.image.key, view.number, worker)
                return drawing(missing[int(draw * len(missing))] if missing else None)
            case Task.BOX_QUALITY:
                assert isinstance(view, View)
                judged = view.progress.boxes[view.subject[1]].box
                more = match_boxes([*view.boxes, judged], own)[0] > match_boxes(view.boxes, own)[0]
                return (BoxQualityAnswer.GOOD if more else BoxQualityAnswer.BAD).value
            case Task.BOX_COVERAGE:
                all_there = match_boxes(view.boxes, own)[0] == len(own)
                return (CoverageAnswer.ALL_THERE if all_there else CoverageAnswer.MORE_NEEDED).value
            case _:
                raise ValueError(f"{view.task.label} was not asked of these people.")
