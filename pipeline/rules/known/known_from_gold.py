"""Known from gold [paper 3.3]: verification questions made from an image's gold, which knows their answers.

Every task gets questions with each right answer, so that no answer is a good guess. They look like real questions: the
same phrases, boxes that people could have drawn, and chains with no, some or all of their boxes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from annotation.rules.box import Box, iou
from pipeline.rules.image.progress import MentionProgress
from pipeline.rules.linking.transitivity import can_corefer
from pipeline.rules.tasks import box_coverage, box_quality, box_requirement, chain_verification, coreference_link
from pipeline.rules.tasks.task import Task

BAD_IOU = 0.4
"""A box that is shown as bad has a lower IOU than this with each box of the chain: no worker can take it for good."""


@dataclass(frozen=True, slots=True)
class KnownChain:
    """One chain of gold. `mentions`: numbers, in reading order."""

    mentions: tuple[int, ...]
    scene: bool
    boxes: tuple[Box, ...]


class Known(NamedTuple):
    """A question with its answer; `shown` as in `pipeline.rules.image.shown`, `truth` as in `known_answer`."""

    task: Task
    shown: dict[str, Any]
    truth: Any


def known_questions(
    mentions: dict[int, MentionProgress], chains: Sequence[KnownChain], width: int, height: int, rng: Random
) -> Iterator[Known]:
    """Make every question that this image's gold answers, in random order.

    `mentions`: those of the image, by number; mentions of gold that no longer exist are left out. `width` and `height`:
    the image's, in pixels.
    """
    there = [KnownChain(tuple(m for m in c.mentions if m in mentions), c.scene, c.boxes) for c in chains]
    there = [chain for chain in there if chain.mentions]
    found = [*_links(mentions, there), *_verifications(mentions, there)]
    for chain in there:
        shown = _Shown(mentions, chain)
        found += [_requirement(shown, chain), *_drawings(shown, chain, rng)]
        found += [*_qualities(shown, chain, width, height, rng), *_coverages(shown, chain, rng)]
    rng.shuffle(found)
    yield from found


class _Shown:
    """The view of a chain that a worker gets: its longest phrase, and some boxes."""

    def __init__(self, mentions: dict[int, MentionProgress], chain: KnownChain) -> None:
        longest = min(chain.mentions, key=lambda n: (-(mentions[n].end - mentions[n].start), -len(mentions[n].text)))
        self.phrase = [_place(mentions[longest])]

    def __call__(self, boxes: Sequence[Box] = (), new_box: Box | None = None) -> dict[str, Any]:
        new = list(new_box) if new_box else None
        return {"mentions": self.phrase, "boxes": [list(box) for box in boxes], "new_box": new}


def _place(mention: MentionProgress) -> list[int]:
    return [mention.number, mention.caption, mention.start, mention.end]


def _phrases(mentions: Sequence[MentionProgress]) -> dict[str, Any]:
    return {"mentions": [_place(mention) for mention in mentions], "boxes": [], "new_box": None}


def _links(mentions: dict[int, MentionProgress], chains: Sequence[KnownChain]) -> Iterator[Known]:
    """Make as many questions with the answer "same" as with "different", of pairs that may be asked."""
    chain_of = {number: place for place, chain in enumerate(chains) for number in chain.mentions}
    pairs = [(mentions[a], mentions[b]) for a, b in combinations(sorted(chain_of, key=_order(mentions)), 2)]
    asked = [pair for pair in pairs if can_corefer(pair[0].for_links(), pair[1].for_links())]
    same = [pair for pair in asked if chain_of[pair[0].number] == chain_of[pair[1].number]]
    other = [pair for pair in asked if chain_of[pair[0].number] != chain_of[pair[1].number]]
    for answer, some in ((coreference_link.Answer.SAME, same), (coreference_link.Answer.DIFFERENT, other)):
        for pair in some[: min(len(same), len(other))]:
            yield Known(Task.COREFERENCE_LINK, _phrases(pair), answer.value)


def _verifications(mentions: dict[int, MentionProgress], chains: Sequence[KnownChain]) -> Iterator[Known]:
    """Show each chain as it is, and again with its last phrase replaced by one of another chain."""
    order = _order(mentions)
    for chain in chains:
        own = [mentions[number] for number in sorted(chain.mentions, key=order)]
        if len(own) < 2:
            continue
        yield Known(Task.CHAIN_VERIFICATION, _phrases(own), chain_verification.Answer.TRUE.value)
        others = (mentions[n] for other in chains if other is not chain for n in other.mentions)
        captions = {mention.caption for mention in own[:-1]}
        strangers = [one for one in others if one.caption not in captions and set(one.types) & set(own[0].types)]
        if strangers:
            wrong = sorted([*own[:-1], strangers[0]], key=lambda mention: mention.order)
            yield Known(Task.CHAIN_VERIFICATION, _phrases(wrong), chain_verification.Answer.FALSE.value)


def _order(mentions: dict[int, MentionProgress]) -> Any:
    return lambda number: mentions[number].order


def _requirement(shown: _Shown, chain: KnownChain) -> Known:
    answers = box_requirement.Answer
    without = answers.SCENE if chain.scene else answers.NO_BOX
    return Known(Task.BOX_REQUIREMENT, shown(), (answers.BOX if chain.boxes else without).value)


def _drawings(shown: _Shown, chain: KnownChain, rng: Random) -> Iterator[Known]:
    """Show some of the boxes, so that others are missing; then all of them, so that none is."""
    if not chain.boxes:
        return
    boxes = rng.sample(chain.boxes, len(chain.boxes))
    some = rng.randrange(len(boxes))
    yield Known(Task.BOX_DRAWING, shown(boxes[:some]), [list(box) for box in boxes[some:]])
    yield Known(Task.BOX_DRAWING, shown(boxes), [])


def _qualities(shown: _Shown, chain: KnownChain, width: int, height: int, rng: Random) -> Iterator[Known]:
    if not chain.boxes:
        return
    boxes = rng.sample(chain.boxes, len(chain.boxes))
    some = rng.randrange(len(boxes))
    yield Known(Task.BOX_QUALITY, shown(boxes[:some], boxes[some]), box_quality.Answer.GOOD.value)
    bad = _bad_box(boxes[some], chain.boxes, width, height, rng)
    if bad is not None:
        yield Known(Task.BOX_QUALITY, shown(boxes[:some], bad), box_quality.Answer.BAD.value)


def _bad_box(box: Box, known: Sequence[Box], width: int, height: int, rng: Random) -> Box | None:
    """Return a part of the box, or the box moved aside; None if each of these could pass for a good box."""
    w, h = box.x1 - box.x0, box.y1 - box.y0
    moved = [Box(box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy) for dx, dy in ((w // 2, 0), (-w // 2, 0))]
    moved += [Box(box.x0, box.y0 + d, box.x1, box.y1 + d) for d in (h // 2, -h // 2)]
    parts = [Box(box.x0, box.y0, box.x0 + w // 3, box.y1), Box(box.x0, box.y0, box.x1, box.y0 + h // 3)]
    wrong = [one for one in (*moved, *parts) if one.fits(width, height)]
    wrong = [one for one in wrong if all(iou(one, right) < BAD_IOU for right in known)]
    return rng.choice(wrong) if wrong else None


def _coverages(shown: _Shown, chain: KnownChain, rng: Random) -> Iterator[Known]:
    """Show all boxes; then, of several, all but one."""
    if not chain.boxes:
        return
    boxes = rng.sample(chain.boxes, len(chain.boxes))
    yield Known(Task.BOX_COVERAGE, shown(boxes), box_coverage.Answer.ALL_THERE.value)
    if len(boxes) > 1:
        yield Known(Task.BOX_COVERAGE, shown(boxes[:-1]), box_coverage.Answer.MORE_NEEDED.value)
