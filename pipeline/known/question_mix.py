"""Stock mix [paper 3.3]: choose verification questions that look like the real ones, with right answers well mixed.

No answer is right so often that a worker could always give it. Within that limit the right answers, the types and the
numbers of mentions and boxes shown are as frequent as in real questions.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, NamedTuple

from pipeline.known.known_answer import is_sweep
from pipeline.known.known_from_gold import GoldQuestion, QuestionLook
from pipeline.protocol.tasks.answers import CHOICES, LinkShape
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.survey import CaptionVerdict, caption_verdict
from pipeline.protocol.tasks.task import Task
from runtime.words import percent

MIN_FOR_LEAN = 30
"""Up to this many questions may lean to one answer if there are no others. In a larger stock a lean never grows."""
MIN_FOR_FAULT = 10
"""From this many questions on, one answer that is right too often is a fault whatever the size of the stock."""
BUTTON_TENTHS = 6
"""One answer may be right in this many of ten questions at most."""
NONE_TENTHS = 3
"""The most of ten questions of box drawing, or of ten sweeps, in which "none" may be right.

Some are needed: drawing nothing makes no box that others judge, so only verification questions find a worker who always
gives this answer.
"""
RARE = 0.05
"""The least share of an answer that real questions hardly ever have: it must not be wrong always."""
NONE_MISSING, MISSING = "none missing", "a box is missing"
NONE_SAME, SOME_SAME = "none the same", "some the same"


Kind = Task | LinkShape
"""The kind of questions whose answers are mixed with one another: those of a task, of links the pairs; or sweeps."""
BY_LOOKING: Mapping[Kind, tuple[str, str]] = {
    Task.BOX_DRAWING: (NONE_MISSING, MISSING),
    LinkShape.SWEEP: (NONE_SAME, SOME_SAME),
}
"""Kinds of which only one answer can be given without looking: its name, and that of the others."""
REQUIREMENT = {a.value: a.name.lower().replace("_", " ") for a in RequirementAnswer}


class Candidate(NamedTuple):
    """A question that could be added to the stock. Lower ranks are taken first."""

    known: GoldQuestion
    image: int
    rank: int = 0
    look: QuestionLook | None = None


class Usual(NamedTuple):
    """The shares of each look, and of each right answer, among a task's real questions."""

    looks: Counter[QuestionLook]
    answers: Counter[str]


class _Looks:
    """The share of each look, and of each part of it, in a stock and among real questions."""

    def __init__(self, usual: Counter[QuestionLook], has: Counter[QuestionLook]) -> None:
        self.total, self.of = has.total(), usual.total()
        self.usual, self.has = Counter[Any](), Counter[Any]()
        for counts, parts in ((usual, self.usual), (has, self.has)):
            for look, count in counts.items():
                parts.update(dict.fromkeys(self._parts(look), count))

    @staticmethod
    def _parts(look: QuestionLook) -> tuple[Any, ...]:
        return look, look.types, look[1:]

    def lack(self, look: QuestionLook | None) -> float:
        """Return how many questions with such a look are missing, once the stock has one more question."""
        if look is None or not self.of:
            return 0.0
        share = (self.total + 1) / self.of
        return sum(self.usual[part] * share - self.has[part] for part in self._parts(look))

    def add(self, look: QuestionLook | None) -> None:
        if look is not None:
            self.total += 1
            self.has.update(self._parts(look))


def kind_of(task: Task, truth: Any) -> Kind:
    """Return the kind of a question of the task with this right answer."""
    return LinkShape.SWEEP if is_sweep(task, truth) else task


def kinds_of(task: Task) -> tuple[Kind, ...]:
    """Return the kinds of questions that a task has."""
    return (task, LinkShape.SWEEP) if task is Task.COREFERENCE_LINK else (task,)


def kinds_present(task: Task, mix: Counter[str]) -> list[Kind]:
    """Return the kinds of questions that a stock with this mix has, and that of the task in any case."""
    return [kind for kind in kinds_of(task) if kind is task or of_kind(kind, mix)]


def answer_name(task: Task, truth: Any) -> str:
    """Name the right answer. Box drawing has two names: a box is missing, or none is; so have sweeps."""
    if is_sweep(task, truth):
        return SOME_SAME if truth["same"] else NONE_SAME
    if task is Task.BOX_DRAWING:
        return MISSING if truth else NONE_MISSING
    if task is Task.CAPTION_CHECK:
        return caption_verdict(truth).value
    return REQUIREMENT[truth] if task is Task.BOX_REQUIREMENT else str(truth)


def answer_names(kind: Kind) -> tuple[str, ...]:
    """Name all right answers that questions of the kind can have."""
    if kind in BY_LOOKING:
        return BY_LOOKING[kind][::-1]
    if kind is Task.CAPTION_CHECK:
        return tuple(verdict.value for verdict in CaptionVerdict)
    task = Task(kind)
    return tuple(answer_name(task, truth) for truth in CHOICES[task])


def of_kind(kind: Kind, mix: Counter[str]) -> Counter[str]:
    """Return the part of a task's mix that is of the kind."""
    return Counter({name: mix[name] for name in answer_names(kind) if mix[name]})


def choose(
    kind: Kind,
    candidates: Sequence[Candidate],
    *,
    most: int,
    mix: Counter[str] | None = None,
    images: Counter[int] | None = None,
    looks: Counter[QuestionLook] | None = None,
    usual: Usual | None = None,
    balanced: bool = True,
) -> list[Candidate]:
    """Choose up to `most` candidates of the kind with mixed answers, that look like real questions, from many images.

    `mix`: the answers that the stock holds already; `images`: how many of its questions come from each image; `looks`:
    how many have each look. `usual`: the real questions; None: each answer about equally often. Returns fewer if the
    rest would only make a lean worse, unless `balanced` is false.
    """
    mix, images = of_kind(kind, mix or Counter()), Counter(images)
    own = _Looks(usual.looks if usual else Counter(), looks or Counter())
    weights = _weights(kind, usual.answers if usual and balanced else Counter())
    waiting: dict[str, dict[QuestionLook | None, list[Any]]] = {
        answer: defaultdict(list) for answer in answer_names(kind)
    }
    for place, candidate in enumerate(candidates):
        heap = waiting[answer_name(candidate.known.task, candidate.known.truth)][candidate.look]
        heappush(heap, (candidate.rank, images[candidate.image], place, candidate))
    chosen: list[Candidate] = []
    while len(chosen) < most:
        free = [a for a in answer_names(kind) if waiting[a] and (not balanced or may_add(kind, mix, a))]
        if not free:
            break
        answer = min(free, key=lambda a: mix[a] / weights[a])
        chosen.append(_next(waiting[answer], images, own))
        mix[answer] += 1
        images[chosen[-1].image] += 1
        own.add(chosen[-1].look)
    return chosen


def _next(waiting: dict[QuestionLook | None, list[Any]], images: Counter[int], looks: _Looks) -> Candidate:
    """Take a candidate of the lowest rank with the look that is most missing, from the least used image."""
    for heap in waiting.values():
        _renew(heap, images)
    look = min(waiting, key=lambda one: (waiting[one][0][0], -looks.lack(one), waiting[one][0][1:3]))
    candidate: Candidate = heappop(waiting[look])[-1]
    if not waiting[look]:
        del waiting[look]
    return candidate


def _renew(heap: list[Any], images: Counter[int]) -> None:
    """Put a candidate whose image was used since it was counted back in its place, until the first one is right."""
    while heap[0][1] != images[heap[0][-1].image]:
        rank, _, place, candidate = heappop(heap)
        heappush(heap, (rank, images[candidate.image], place, candidate))


def _weights(kind: Kind, usual: Counter[str]) -> dict[str, float]:
    """Return the share of each answer: as in real questions, but never above the bound, and equal if these are unknown.

    What is above the bound goes to the other answers, in proportion; equally if real questions never have them.
    """
    if kind in BY_LOOKING:
        return dict(zip(BY_LOOKING[kind], (NONE_TENTHS / 10, 1 - NONE_TENTHS / 10), strict=True))
    names, bound = answer_names(kind), BUTTON_TENTHS / 10
    first = max(names, key=lambda name: usual[name])
    if usual[first] <= bound * usual.total():
        return {name: max(usual[name] / usual.total(), RARE) if usual else 1.0 for name in names}
    rest = {name: max(usual[name], RARE * usual.total()) for name in names if name != first}
    left = 1 - bound
    return {first: bound} | {name: left * count / sum(rest.values()) for name, count in rest.items()}


def may_add(kind: Kind, mix: Counter[str], answer: str) -> bool:
    """Return whether a stock with this mix of the kind may get one more question with this answer."""
    after, total = mix[answer] + 1, mix.total() + 1
    if kind in BY_LOOKING:
        return answer != BY_LOOKING[kind][0] or 10 * after <= NONE_TENTHS * total
    return total <= MIN_FOR_LEAN or 10 * after <= BUTTON_TENTHS * total


def one_button(kind: Kind, mix: Counter[str]) -> tuple[str, float]:
    """Return the answer that is right most often, and its share: the score, 0 to 1, of a worker who always gives it.

    In box drawing, and in sweeps, only "none" can be given without looking.
    """
    answer = BY_LOOKING[kind][0] if kind in BY_LOOKING else max(answer_names(kind), key=lambda a: mix[a])
    return answer, mix[answer] / (of_kind(kind, mix).total() or 1)


def mix_faults(task: Task, mix: Counter[str], minimum: float) -> str:
    """Describe what is wrong with the mix of the task's questions, as `lean` does for each kind."""
    return "; ".join(filter(None, (lean(kind, mix, minimum) for kind in kinds_of(task))))


def lean(kind: Kind, mix: Counter[str], minimum: float) -> str:
    """Describe what is wrong with the mix of a kind; empty if nothing is.

    `minimum`: the score that trust takes, 0 to 1. A few questions that lean are no fault, unless one answer alone
    reaches the minimum.
    """
    total, (answer, share) = of_kind(kind, mix).total(), one_button(kind, mix)
    others = " or ".join(f"“{a}”" for a in answer_names(kind) if a != answer)
    if total >= MIN_FOR_FAULT and share >= minimum:
        return (
            f"“{answer}” is right in {percent(share)}, and {percent(minimum)} is enough: a worker who always gives this"
            f" answer passes, and no score can correct it. Add questions whose right answer is {others}; gold has too"
            " few of them"
        )
    if total < MIN_FOR_LEAN:
        return ""
    if kind in BY_LOOKING:
        wrong = 10 * mix[answer] > NONE_TENTHS * total
        return f"“{answer}” is right in {percent(share)}; it should be at most 30 %" if wrong else ""
    if 10 * mix[answer] <= BUTTON_TENTHS * total:
        return ""
    return (
        f"“{answer}” is right in {percent(share)}: a worker who always gives this answer gets this score,"
        f" {percent(minimum)} is needed. Add questions whose right answer is {others}; gold has too few of them"
    )
