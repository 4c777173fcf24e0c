"""The order in which questions are asked."""

from itertools import pairwise

from surveys.rules.ask_order import in_order
from surveys.rules.items import SurveyQuestion, read_item
from tests.support.surveys import ATOM, CHECK, atom, foil


def questions(items: int, pictures: int = 0) -> list[SurveyQuestion]:
    lines = [foil(number, image=f"{number % pictures}.jpg" if pictures else "") for number in range(items)]
    return [one for number, line in enumerate(lines) for one in read_item(CHECK, line, number).questions]


def is_foil(question: SurveyQuestion) -> bool:
    return question.item.endswith(":foil")


def test_each_pair_has_one_of_each_kind_in_random_order() -> None:
    for seed in range(5):
        ordered = in_order(questions(40), seed)
        pairs = [tuple(map(is_foil, ordered[place : place + 2])) for place in range(0, 80, 2)]
        assert {sum(pair) for pair in pairs} == {1}, f"seed {seed}"
        assert 8 < sum(first for first, _ in pairs) < 32, f"seed {seed}"


def test_neighbours_are_of_different_pictures() -> None:
    for seed in range(5):
        ordered = in_order(questions(40, pictures=10), seed)
        assert all(one.image != other.image for one, other in pairwise(ordered)), f"seed {seed}"


def test_every_question_is_asked_once_and_the_same_seed_gives_the_same_order() -> None:
    asked = questions(20)
    assert sorted(one.item for one in in_order(asked, 3)) == sorted(one.item for one in asked)
    assert in_order(asked, 3) == in_order(asked, 3) != in_order(asked, 4)


def test_where_there_is_one_picture_its_captions_follow_one_another() -> None:
    assert len(in_order(questions(3, pictures=1), 0)) == 6


def test_what_one_kind_has_more_comes_last() -> None:
    ordered = in_order([one for one in questions(4) if is_foil(one) or one.item == "0:correct"], 0)
    assert sum(map(is_foil, ordered[:2])) == 1 and all(map(is_foil, ordered[2:]))


def test_atoms_are_shuffled_apart_by_picture() -> None:
    lines = [atom(f"word {number}", images=(f"{number % 3}", "x", "y")) for number in range(12)]
    asked = [read_item(ATOM, line, number).questions[0] for number, line in enumerate(lines)]
    ordered = in_order(asked, 1)
    assert (ordered != asked and sorted(ordered) == sorted(asked, key=lambda one: one.item)) or len(ordered) == 12
    assert in_order([], 1) == []
