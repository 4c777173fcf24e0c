"""Known answer [paper 3.3]: whether an answer to a verification question is right, and the mistake in a wrong one.

The kinds of mistakes are coarse: a task and the direction of the error. Only the result of a test, whose questions are
all known, may tell them; nothing about an assignment of work ever does.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from annotation.rules.box import Box, iou
from pipeline.protocol.tasks.answers import fault_in, is_choice
from pipeline.protocol.tasks.box_coverage import CoverageAnswer
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.coreference_link import CoreferenceAnswer, in_chains
from pipeline.protocol.tasks.survey import AtomAnswer, CaptionVerdict, caption_verdict, is_right_check
from pipeline.protocol.tasks.task import Task

RIGHT_IOU = 0.5
"""A drawn box is right if its IOU with a known box that is not shown yet is at least this."""
ONE_SLIP = 6
"""A right answer to a sweep may be wrong about one of so many candidates."""


def is_right_answer(task: Task, truth: Any, answer: Any, *, candidates: int = 0) -> bool:
    """Return whether an answer, in which `fault_in` found no fault, is right.

    `truth`: the right answer; for box drawing the known boxes that are not shown yet, [[x0, y0, x1, y1], ...]. A drawn
    box is right if it overlaps one of them enough; "none missing" is right if there is none. A caption check is right
    by its verdict and, where the truth names the wrong word, by its place. A part is right where "different" is.

    `candidates`: the number of a sweep's. An answer to a sweep is right if it is wrong about few of them; but to touch
    none is right only where none means the same, or nobody would have to look.
    """
    if is_sweep(task, truth):
        touched, same = set(answer["same"]), set(truth["same"])
        return len(touched ^ same) <= candidates // ONE_SLIP and bool(touched or not same)
    if task is Task.CAPTION_CHECK:
        return is_right_check(truth, answer)
    if task is not Task.BOX_DRAWING:
        return bool(in_chains(answer) == truth)
    if "box" not in answer:
        return not truth
    return any(iou(Box(*answer["box"]), Box(*known)) >= RIGHT_IOU for known in truth)


def is_sweep(task: Task, truth: Any) -> bool:
    """Return whether a question with this right answer is a sweep."""
    return task is Task.COREFERENCE_LINK and isinstance(truth, dict)


def fits_task(task: Task, truth: Any, *, words: int = 0, candidates: Sequence[int] = ()) -> bool:
    """Return whether this can be the truth of a question of the task.

    `words`, `candidates`: as in `answers.fault_in`.
    """
    if candidates:
        return fault_in(task, truth, 1, 1, candidates=candidates) is None
    if task is Task.CAPTION_CHECK:
        verdict_alone = truth == {"verdict": CaptionVerdict.WRONG.value}
        return verdict_alone or fault_in(task, truth, 1, 1, words=words) is None
    if task is not Task.BOX_DRAWING:
        return is_choice(task, truth)
    return isinstance(truth, list) and all(_is_box(box) for box in truth)


def _is_box(edges: Any) -> bool:
    whole = isinstance(edges, Sequence) and len(edges) == 4 and all(type(edge) is int for edge in edges)
    return whole and Box(*edges).area > 0


MOSTLY = 0.75
"""Most of a box's area. If the IOU is below 0.5, two boxes cannot each hold most of the other."""
SHOWN_FROM = 2
"""A test tells a kind from this many mistakes on: a single wrong answer among right ones is never named."""


class Mistake(StrEnum):
    """A kind of mistake: of one task, in one direction."""

    LINKED_OTHERS = "linked others"
    MISSED_LINK = "missed link"
    KEPT_STRANGER = "kept stranger"
    BROKE_CHAIN = "broke chain"
    BOX_FOR_NOTHING = "box for nothing"
    MISSED_THING = "missed thing"
    PLACE_MIXED_UP = "place mixed up"
    NEEDLESS_BOX = "needless box"
    MISSED_BOX = "missed box"
    TOO_LARGE = "too large"
    TOO_SMALL = "too small"
    ELSEWHERE = "elsewhere"
    ACCEPTED_BAD = "accepted bad"
    REFUSED_GOOD = "refused good"
    TOO_FEW = "too few"
    TOO_MANY = "too many"
    REFUSED_CAPTION = "refused caption"
    ACCEPTED_FOIL = "accepted foil"
    OTHER_WORD = "other word"
    MISSED_VISIBLE = "missed visible"
    SAW_INVISIBLE = "saw invisible"
    left_out = "left out"


BY_ANSWER: dict[Task, dict[Any, Mistake]] = {
    Task.COREFERENCE_LINK: {
        CoreferenceAnswer.SAME: Mistake.LINKED_OTHERS,
        CoreferenceAnswer.DIFFERENT: Mistake.MISSED_LINK,
    },
    Task.CHAIN_VERIFICATION: {
        VerificationAnswer.TRUE: Mistake.KEPT_STRANGER,
        VerificationAnswer.FALSE: Mistake.BROKE_CHAIN,
    },
    Task.BOX_QUALITY: {
        BoxQualityAnswer.GOOD: Mistake.ACCEPTED_BAD,
        BoxQualityAnswer.BAD: Mistake.REFUSED_GOOD,
    },
    Task.BOX_COVERAGE: {
        CoverageAnswer.ALL_THERE: Mistake.TOO_FEW,
        CoverageAnswer.MORE_NEEDED: Mistake.TOO_MANY,
    },
    Task.ATOM_VISUAL: {
        AtomAnswer.YES: Mistake.SAW_INVISIBLE,
        AtomAnswer.NO: Mistake.MISSED_VISIBLE,
    },
}
"""The mistake that each answer is where it is wrong, for tasks with two answers."""


def mistake_in(task: Task, truth: Any, answer: Any, *, candidates: int = 0) -> Mistake | None:
    """Return the kind of mistake that the answer makes; None if it is right. The values: as in `is_right_answer`."""
    if is_right_answer(task, truth, answer, candidates=candidates):
        return None
    if is_sweep(task, truth):
        touched, same = set(answer["same"]), set(truth["same"])
        return Mistake.LINKED_OTHERS if len(touched - same) > len(same - touched) else Mistake.MISSED_LINK
    if task is Task.BOX_DRAWING:
        if "box" not in answer:
            return Mistake.MISSED_BOX
        return wrong_box(Box(*answer["box"]), [Box(*known) for known in truth])
    if task is Task.CAPTION_CHECK:
        said = caption_verdict(answer)
        if said is caption_verdict(truth):
            return Mistake.OTHER_WORD
        return Mistake.ACCEPTED_FOIL if said is CaptionVerdict.CORRECT else Mistake.REFUSED_CAPTION
    if task is not Task.BOX_REQUIREMENT:
        return BY_ANSWER[task][in_chains(answer)]
    if answer == RequirementAnswer.BOX:
        return Mistake.BOX_FOR_NOTHING
    return Mistake.MISSED_THING if truth == RequirementAnswer.BOX else Mistake.PLACE_MIXED_UP


def wrong_box(box: Box, missing: Sequence[Box]) -> Mistake:
    """Return what is wrong with a drawn box, compared with the missing box that it overlaps most."""
    if not missing:
        return Mistake.NEEDLESS_BOX
    nearest = max(missing, key=lambda one: iou(box, one))
    common = _common(box, nearest)
    if common >= MOSTLY * nearest.area:
        return Mistake.TOO_LARGE
    return Mistake.TOO_SMALL if common >= MOSTLY * box.area else Mistake.ELSEWHERE


def _common(a: Box, b: Box) -> int:
    return max(0, min(a.x1, b.x1) - max(a.x0, b.x0)) * max(0, min(a.y1, b.y1) - max(a.y0, b.y0))


def mistakes_shown(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return the kinds that occur at least `SHOWN_FROM` times, in a fixed order: neither how often, nor where."""
    count = Counter(mistakes)
    return tuple(kind for kind in Mistake if count[kind] >= SHOWN_FROM)
