"""Items as lines say them, and the fault of a line that says something else.
The order in which questions are asked.
The choice of items that become known questions.
Agreement on captions, counted by hand.
"""

from itertools import pairwise
from typing import Any

import pytest

from pipeline.protocol.tasks.survey import CaptionVerdict
from pipeline.protocol.tasks.task import Task
from surveys.rules.agreement import JudgedCaption, agreement, histogram, named_by_majority
from surveys.rules.ask_order import TooFewItemsError, WantedKnown, count_known, drawn, in_order, versions
from surveys.rules.items import ItemError, SurveyQuestion, read_item
from tests.support.surveys import ATOM, CHECK, atom, foil
from tests.support.table import row


def test_an_item_of_foil_makes_a_correct_caption_and_a_foil() -> None:
    item = read_item(CHECK, foil(3), 7)
    correct, wrong = item.questions
    assert (item.name, item.images) == ("7", ("3.jpg",))
    assert correct == ("7:correct", "3.jpg", {"caption": foil(3)["caption"]}, {"verdict": "correct"})
    assert wrong == ("7:foil", "3.jpg", {"caption": foil(3)["foil"]}, {"verdict": "wrong", "word": 1})


def test_an_atom_makes_one_question_on_the_picture_of_its_first_example() -> None:
    item = read_item(ATOM, atom("dog", images=("a", "b", "a")), 2)
    [question] = item.questions
    assert (question.item, question.image, question.truth) == ("2", "a", None)
    assert item.images == ("a", "b", "a")
    assert question.shown["examples"][1] == {"image": "b", "caption": "dog in b"}


def test_an_item_can_have_a_name_and_an_atom_a_known_answer() -> None:
    assert read_item(CHECK, foil(item="x"), 1).questions[1].item == "x:foil"
    assert read_item(ATOM, atom(visual="no"), 1).questions[0].truth == "no"


def refusal(kind: Task, values: Any) -> str:
    """Return why the values are not an item, or nothing if they are one."""
    try:
        read_item(kind, values, 1)
    except ItemError as error:
        return str(error)
    return ""


@row([], "should be an object with named values")
@row({**foil(), "image": ""}, "image")
@row({**foil(), "image": "a" * 201}, "image")
@row({**foil(), "caption": "  "}, "caption: it is empty")
@row({**foil(), "caption": "a\0b"}, "caption: it holds a character that cannot be stored")
@row({**foil(), "caption": 5}, "caption=5")
@row({**foil(), "place": "1"}, "place='1'")
@row({**foil(), "place": 2}, "place is 2, and caption and foil differ at 1")
@row({**foil(), "foil": foil()["caption"]}, "differ at nowhere")
@row({**foil(), "foil": "a dog rides fast past number 0"}, "foil has 7 words, and caption has 6")
@row({**foil(), "foil": "the dog rides past number 0"}, "differ at 0, 1")
@row({name: value for name, value in foil().items() if name != "foil"}, "foil is missing")
@row(atom(), "image is missing")
def test_a_line_that_is_no_item_of_foil_names_its_field_and_the_remedy(values: Any, words: str) -> None:
    said = refusal(CHECK, values)
    assert "A line is an item of FOIL" in said and words in said


@row(atom(category="thing"), "category='thing'")
@row(atom(images=("a", "b")), "examples")
@row({**atom(), "examples": [{"image": "a"}] * 3}, "caption")
@row(atom(visual="maybe"), "visual='maybe'")
@row(foil(), "atom is missing")
def test_a_line_that_is_no_atom_names_its_field_and_the_remedy(values: Any, words: str) -> None:
    said = refusal(ATOM, values)
    assert "A line is an atom with its category" in said and words in said


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


@row(0, 5, 10, WantedKnown(0))
@row(5, 20, 0, WantedKnown(5))
@row(5, 200, 10, WantedKnown(5, 30, 4))  # three tries at the test
@row(5, 60, 10, WantedKnown(5, 20, 4))
@row(5, 19, 10, WantedKnown(5, 10, 4))
def test_each_try_at_the_test_has_its_own_questions_as_far_as_they_go(known, items, test, wanted: WantedKnown) -> None:
    assert count_known(known, items, test_questions=test, tests=3) == wanted


@row(6, 5, 0, "need 6 items")
@row(5, 18, 10, "need 19 items")
def test_too_few_items_are_refused_with_the_number_that_is_needed(known, items, test, words: str) -> None:
    with pytest.raises(TooFewItemsError, match=words):
        count_known(known, items, test_questions=test, tests=3)


def test_they_come_from_as_many_pictures_as_possible() -> None:
    items = [read_item(CHECK, foil(number, image=f"{number % 5}.jpg"), number) for number in range(20)]
    assert len({item.images[0] for item in drawn(items, 1)[:5]}) == 5 and len(drawn(items, 1)) == 20
    assert drawn(items, 1) != drawn(items, 2)


def test_half_of_them_are_foils() -> None:
    items = [read_item(CHECK, foil(number), number) for number in range(10)]
    assert [one.item.partition(":")[2] for one in versions(items)] == ["correct", "foil"] * 5


def test_an_atom_can_be_known_only_if_its_answer_is() -> None:
    items = [read_item(ATOM, atom(str(number), **more), number) for number, more in enumerate([{}, {"visual": "no"}])]
    assert [item.name for item in drawn(items, 1)] == ["1"]


CORRECT, WRONG = CaptionVerdict.CORRECT, CaptionVerdict.WRONG
VOTES: list[Any] = [(CORRECT, 3), (CORRECT, 2), (CORRECT, 1), (CORRECT, 3), (WRONG, 3, 2), (WRONG, 2, 1)]
JUDGED = [JudgedCaption(truth, 3, right, *named) for truth, right, *named in VOTES]


def test_the_majority_and_everybody_are_counted_for_each_kind_and_overall_is_their_mean() -> None:
    shares = {"correct captions": (4, 0.75, 0.5), "foils": (2, 1.0, 0.5), "overall": (6, 0.875, 0.5)}
    assert agreement(JUDGED) == shares


def test_without_captions_of_a_kind_there_is_neither_its_share_nor_an_overall_one() -> None:
    shares = agreement(JUDGED[:4])
    assert (shares["foils"], shares["overall"]) == ((0, None, None), (4, None, None))


def test_a_foil_counts_as_named_if_more_than_half_of_the_votes_name_its_word() -> None:
    assert named_by_majority([*JUDGED, JudgedCaption(WRONG, 4, 3, named=2)]) == (1, 3)


def test_half_of_the_votes_is_no_majority() -> None:
    assert agreement([JudgedCaption(CORRECT, 4, 2), JudgedCaption(CORRECT, 4, 3)])["correct captions"] == (2, 0.5, 0.0)


def test_the_histogram_has_a_bar_for_every_number_of_right_votes() -> None:
    assert histogram(JUDGED) == [(0, 0, 0), (1, 1, 0), (2, 1, 1), (3, 2, 1)] and histogram([]) == []
