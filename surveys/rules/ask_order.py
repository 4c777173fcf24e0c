"""Order of asking [beyond paper 3]: correct captions and foils in pairs, neighbours from different pictures.

Nobody can tell from the order which caption is a foil: each pair holds one of each, the first of them drawn by lot, and
the two come from different items.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from random import Random
from typing import NamedTuple

from surveys.rules.items import Item, SurveyQuestion

LOOK_AHEAD = 50
"""Questions that are looked at to find one of another picture."""


def in_order(questions: Sequence[SurveyQuestion], seed: int) -> list[SurveyQuestion]:
    """Return the questions in the order in which they are asked; the same questions and seed give the same order."""
    lot = Random(seed)
    kinds = _kinds(questions)
    for kind in kinds:
        lot.shuffle(kind)
    if len(kinds) < 2:
        ordered = _apart(kinds[0]) if kinds else []
    else:
        ordered = list(_pairs(deque(kinds[0]), deque(kinds[1]), lot))
    return _exchanged(ordered)


def _exchanged(ordered: list[SurveyQuestion]) -> list[SurveyQuestion]:
    """Exchange a question that follows one of its own picture with an earlier one of its kind, if that parts both."""

    def fits(place: int, question: SurveyQuestion) -> bool:
        around = ordered[max(place - 1, 0) : place] + ordered[place + 1 : place + 2]
        return all(other.image != question.image for other in around)

    for place in range(1, len(ordered)):
        question = ordered[place]
        if question.image != ordered[place - 1].image:
            continue
        for other in range(place - 2, 0, -1):
            same_kind = _kind(ordered[other]) == _kind(question)
            if same_kind and fits(place, ordered[other]) and fits(other, question):
                ordered[place], ordered[other] = ordered[other], question
                break
    return ordered


def _kind(question: SurveyQuestion) -> str:
    return str(question.truth["verdict"]) if isinstance(question.truth, dict) else ""


def _kinds(questions: Sequence[SurveyQuestion]) -> list[list[SurveyQuestion]]:
    """Return the correct captions and the foils; questions without these versions are of one kind."""
    found: dict[str, list[SurveyQuestion]] = {}
    for question in questions:
        found.setdefault(_kind(question), []).append(question)
    return [found[verdict] for verdict in sorted(found)]


def _pairs(correct: deque[SurveyQuestion], foils: deque[SurveyQuestion], random: Random) -> Iterator[SurveyQuestion]:
    """Yield one of each kind, the first drawn by lot; at the end what one kind has more than the other."""
    last = ""
    while correct and foils:
        for kind in random.sample((correct, foils), 2):
            question = _take(kind, last)
            last = question.image
            yield question
    yield from _apart([*correct, *foils], last)


def _apart(questions: Sequence[SurveyQuestion], last: str = "") -> list[SurveyQuestion]:
    waiting, ordered = deque(questions), list[SurveyQuestion]()
    while waiting:
        ordered.append(_take(waiting, last))
        last = ordered[-1].image
    return ordered


def _take(waiting: deque[SurveyQuestion], last: str) -> SurveyQuestion:
    """Take the next question, or the first of the next few that is of another picture than the last one."""
    for place in range(min(LOOK_AHEAD, len(waiting))):
        if waiting[place].image != last:
            question = waiting[place]
            del waiting[place]
            return question
    return waiting.popleft()


# Known items [beyond paper 3.3]: choose those that become examples, test questions and verification questions.
#
# They come from as many pictures as possible, since a worker is asked about one caption of a picture only.


EXAMPLES = 4
"""Examples that a worker may try before the test."""


class TooFewItemsError(ValueError):
    """The file has too few items for what should be known; the message says how many it needs."""


class WantedKnown(NamedTuple):
    """The numbers of items that become known questions, by purpose."""

    verification: int
    test: int = 0
    example: int = 0


def count_known(known: int, items: int, *, test_questions: int, tests: int) -> WantedKnown:
    """Return how many items become known: `known` verification questions, and the test's where there is one.

    `items`: with a known answer. Every try at the test gets questions of its own, as far as these are no more than
    half of what is left. Raises TooFewItemsError if not even one try has enough.
    """
    if not known:
        return WantedKnown(0)
    if not test_questions:
        least, wanted = known, WantedKnown(known)
    else:
        tries = min(tests, (items - known - EXAMPLES) // (2 * test_questions))
        least, wanted = known + test_questions + EXAMPLES, WantedKnown(known, max(tries, 1) * test_questions, EXAMPLES)
    if items < least:
        rest = f" with {test_questions} questions of the test and {EXAMPLES} examples" if test_questions else ""
        raise TooFewItemsError(
            f"{known} verification questions{rest} need {least} items whose answers are known, and the file has "
            f"{items}. Give more items or a smaller number."
        )
    return wanted


def drawn(items: Iterable[Item], seed: int) -> list[Item]:
    """Return the items with a known answer in an order drawn by lot: first one of each picture, then the others."""
    ordered = sorted(
        (item for item in items if any(question.truth is not None for question in item.questions)),
        key=lambda item: blake2b(f"{seed} {item.name}".encode(), digest_size=8).digest(),
    )
    seen: set[str] = set()
    first = [item for item in ordered if not (item.images[0] in seen or seen.add(item.images[0]))]  # type: ignore[func-returns-value]
    taken = {item.name for item in first}
    return [*first, *(item for item in ordered if item.name not in taken)]


def versions(items: Sequence[Item]) -> list[SurveyQuestion]:
    """Return one question of each item: of captions, correct ones and foils in turn."""
    return [item.questions[place % len(item.questions)] for place, item in enumerate(items)]
