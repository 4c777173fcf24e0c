"""Agreement equals worked examples and the definition of Krippendorff's alpha."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from exchange.data_card.agreement import Overlap, agreement, profile_of

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), sections B and C: a row is one observer's values.
TWO_OBSERVERS = ("0100000010", "1110010000")
FOUR_OBSERVERS = ("123321412...", "1233224125.3", ".33323422" + "51.", "12332441251.")


def units(observers: Sequence[str]) -> list[str]:
    """Return the values of each unit; a dot stands for none."""
    return ["".join(column).replace(".", "") for column in zip(*observers, strict=True)]


def found_alpha(words: Sequence[str]) -> float | None:
    return agreement(Counter(map(profile_of, words))).alpha


@pytest.mark.parametrize(("observers", "alpha"), [(TWO_OBSERVERS, 0.095), (FOUR_OBSERVERS, 0.743)])
def test_the_worked_examples_of_the_paper(observers: Sequence[str], alpha: float) -> None:
    assert found_alpha(units(observers)) == pytest.approx(alpha, abs=0.0005)


def by_definition(words: Sequence[str]) -> tuple[float, float | None]:
    """Return the share of pairs that agree, and alpha, from every pair of values, one by one."""
    pairable = [word for word in words if len(word) > 1]
    values = "".join(pairable)
    differ = sum(a != b for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    observed = sum(sum(a != b for a, b in permutations(word, 2)) / (len(word) - 1) for word in pairable) / len(values)
    return 1 - observed, 1 - observed / differ if differ else None


def test_random_tables_have_the_agreement_of_the_definition() -> None:
    draw = random.Random(31)
    for _ in range(200):
        said = draw.choice(("ab", "abc", "aaab", "a"))
        words = ["".join(draw.choices(said, k=draw.randint(1, 5))) for _ in range(draw.randint(2, 12))]
        if not any(len(word) > 1 for word in words):
            continue
        found = agreement(Counter(map(profile_of, words)))
        assert (found.share, found.alpha) == pytest.approx(by_definition(words), abs=1e-12)
        assert (found.questions, found.answers) == (
            sum(len(word) > 1 for word in words),
            sum(len(word) for word in words if len(word) > 1),
        )


def test_without_two_answers_nothing_agrees_and_without_two_words_alpha_is_not_defined() -> None:
    single = agreement(Counter({profile_of("a"): 7}))
    assert (single.questions, single.share, single.alpha) == (0, None, None)
    alike = agreement(Counter({profile_of("aa"): 7}))
    assert (alike.share, alike.alpha) == (1.0, None)


def test_drawings_of_one_question_overlap_pair_by_pair() -> None:
    overlap = Overlap()
    overlap.add([[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 30]])
    assert (overlap.pairs, overlap.mean, overlap.alike) == (3, pytest.approx(0.5 / 3), 1)
    assert Overlap().mean is None
