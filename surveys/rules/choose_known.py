"""Known items [beyond paper 3.3]: choose those that become examples, test questions and verification questions.

They come from as many pictures as possible, since a worker is asked about one caption of a picture only.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from surveys.rules.items import Item, SurveyQuestion

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
