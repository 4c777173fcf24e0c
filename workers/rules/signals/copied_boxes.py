"""Copied boxes [paper 3.3]: a worker repeats boxes, copies others', marks whole pictures or keeps the default box."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from statistics import median
from typing import NamedTuple

from workers.rules.signals.signal import Signal, SignalKind, at_least, best_of
from workers.rules.signals.two_accounts import Pair, Shared

NEAR = 0.98
"""The least IOU of nearly equal boxes. A person who draws the same thing twice reaches about 0.9."""
SHARED_LEAST, BOXES_LEAST = 3, 20
"""The fewest nearly equal boxes of two workers, and the fewest boxes of one, that give a signal."""
USUAL_LEAST = 0.03
"""Each kind of copy is taken to be at least so usual: one worker may get such pictures and another none."""
CELL = 0.02

Area = tuple[float, float, float, float]
"""x0, y0, x1, y1 in any unit."""


class BoxInImage(NamedTuple):
    """A drawn box in whole pixels of its image, and the image's width and height."""

    id: int
    worker: int
    image: int
    box: tuple[int, int, int, int]
    size: tuple[int, int]

    @property
    def scaled(self) -> Area:
        """The box in units of the image's longer side, so that boxes of different images compare."""
        x0, y0, x1, y1 = self.box
        side = max(self.size)
        return x0 / side, y0 / side, x1 / side, y1 / side


def overlap(a: Area, b: Area) -> float:
    """Return the intersection over union, 0 to 1."""
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)


class BlindBox(StrEnum):
    """A box that a worker can make without looking at the picture."""

    WHOLE = "cover the whole picture"
    DEFAULT = "are the box that the keyboard puts, as it was put"


def blind(drawn: BoxInImage) -> BlindBox | None:
    """Return the kind of a box that needs no look: nearly the whole picture, or the default box, its middle half."""
    width, height = drawn.size
    if overlap(drawn.box, (0, 0, width, height)) >= NEAR:
        return BlindBox.WHOLE
    default = (width / 4, height / 4, 3 * width / 4, 3 * height / 4)
    return BlindBox.DEFAULT if overlap(drawn.box, default) >= NEAR else None


class NearBoxes:
    """Boxes in a grid, by the cells in which their edges lie."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, ...], list[BoxInImage]] = defaultdict(list)

    def add(self, drawn: BoxInImage) -> None:
        """Add a box to those that `near` finds."""
        self._cells[tuple(int(edge / CELL) for edge in drawn.scaled)].append(drawn)

    def near(self, drawn: BoxInImage) -> Iterator[BoxInImage]:
        """Yield the added boxes that nearly equal this one."""
        area = drawn.scaled
        # Boxes with this IOU or a higher one have no edge farther apart than this part of the side.
        off = 1 / NEAR - 1
        width, height = off * (area[2] - area[0]), off * (area[3] - area[1])
        cells = (
            range(int(max(edge - reach, 0) / CELL), int((edge + reach) / CELL) + 1)
            for edge, reach in zip(area, (width, height, width, height), strict=True)
        )
        for cell in product(*cells):
            for other in self._cells.get(cell, ()):
                if overlap(area, other.scaled) >= NEAR:
                    yield other


def shared_boxes(drawn: Mapping[int, Iterable[BoxInImage]], *, least: float = USUAL_LEAST) -> dict[Pair, Shared]:
    """Return the pairs of workers with at least SHARED_LEAST nearly equal boxes, and the chance of this.

    `drawn`: the boxes of each question. The chance compares with the share of all pairs of boxes that are nearly equal,
    at least `least`, as everybody finds the edges of some things. Boxes that need no look at the picture are left out:
    two workers who never look are not one person for that.
    """
    questions_of: dict[int, set[int]] = defaultdict(set)
    ids: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    pairs = 0
    for question, answers in drawn.items():
        earlier, seen = NearBoxes(), 0
        for later in sorted(answer for answer in answers if not blind(answer)):
            questions_of[later.worker].add(question)
            for other in earlier.near(later):
                low, high = sorted((later.worker, other.worker))
                ids[low, high].append((other.id, later.id))
            earlier.add(later)
            pairs, seen = pairs + seen, seen + 1
    usual = max(least, sum(map(len, ids.values())) / max(pairs, 1))
    return {
        pair: _shared(found, len(questions_of[pair[0]] & questions_of[pair[1]]), usual)
        for pair, found in ids.items()
        if len(found) >= SHARED_LEAST
    }


def _shared(copies: list[tuple[int, int]], met: int, usual: float) -> Shared:
    judgments = Counter(id for both in copies for id in both)
    return Shared(at_least(len(copies), met, usual), len(copies), met, tuple(sorted(judgments)))


class Repeat(StrEnum):
    """A box that nearly equals an earlier box of another picture."""

    OWN = "repeat the worker's own box of another picture"
    OTHERS = "repeat another worker's box of another picture"


Copy = BlindBox | Repeat
KINDS: tuple[Copy, ...] = (*BlindBox, *Repeat)


def copies(drawn: Iterable[BoxInImage]) -> dict[int, Copy]:
    """Return the kind of copy of each box of a project that looks copied, by its id.

    A box is compared with boxes of lower ids in other pictures. So the copy is marked, never its source; and one thing
    that two chains of a picture point to is not a copy.
    """
    found: dict[int, Copy] = {}
    earlier = NearBoxes()
    for box in sorted(drawn):
        if copy := blind(box) or _of_earlier(box, earlier):
            found[box.id] = copy
        if not isinstance(found.get(box.id), BlindBox):
            earlier.add(box)
    return found


def _of_earlier(box: BoxInImage, earlier: NearBoxes) -> Repeat | None:
    copied = None
    for other in earlier.near(box):
        if other.image != box.image:
            if other.worker == box.worker:
                return Repeat.OWN
            copied = Repeat.OTHERS
    return copied


Usual = Mapping[Copy, float]
"""The usual share of each kind of copy among a worker's boxes, 0 to 1."""


def usual_copies(boxes_of: Mapping[int, Sequence[int]], copied: Mapping[int, Copy]) -> Usual:
    """Return the median share of each kind of copy over the workers; up to half of the workers may be bad.

    Large things do fill pictures, and a fixed camera sees a thing in one place: what all workers do is no signal. The
    shares are at least USUAL_LEAST. `boxes_of`: the ids of each worker's boxes. `copied`: as returned by `copies`.
    """
    shares = {
        copy: [sum(copied.get(id_) is copy for id_ in ids) / len(ids) for ids in boxes_of.values() if ids]
        for copy in KINDS
    }
    return {copy: max(USUAL_LEAST, median(found)) if found else USUAL_LEAST for copy, found in shares.items()}


def copied_boxes(worker: int, ids: Sequence[int], copied: Mapping[int, Copy], usual: Usual) -> Signal | None:
    """Return a signal if more of the worker's boxes than usual look copied, in one of the four ways.

    `ids`: the worker's boxes; fewer than BOXES_LEAST give no signal.
    """
    if len(ids) < BOXES_LEAST:
        return None
    marked = {copy: tuple(id_ for id_ in ids if copied.get(id_) is copy) for copy in KINDS}
    chances = {copy: at_least(len(found), len(ids), usual[copy]) for copy, found in marked.items()}
    chance = best_of(list(chances.values()))
    if chance >= 1:
        return None
    # A kind of copy that is not above its usual share is no evidence.
    shown = [copy for copy in KINDS if chances[copy] < 1]
    words = "; ".join(f"{len(marked[copy])} {copy} (usual: {usual[copy] * len(ids):.0f})" for copy in shown)
    judgments = tuple(sorted(judgment for copy in shown for judgment in marked[copy]))
    return Signal(SignalKind.COPIED_BOXES, (worker,), chance, f"Of {len(ids)} boxes {words}.", judgments)
