"""The choice of items that become known questions."""

import pytest

from surveys.rules.choose_known import TooFewItemsError, Wanted, drawn, versions, wanted_known
from surveys.rules.items import read_item
from tests.support.surveys import ATOM, CHECK, atom, foil


def test_each_try_at_the_test_has_its_own_questions_as_far_as_they_go() -> None:
    for known, items, test, wanted in [
        (0, 5, 10, Wanted(0)),
        (5, 20, 0, Wanted(5)),
        (5, 200, 10, Wanted(5, 30, 4)),  # three tries at the test
        (5, 60, 10, Wanted(5, 20, 4)),
        (5, 19, 10, Wanted(5, 10, 4)),
    ]:
        assert wanted_known(known, items, test_questions=test, tests=3) == wanted, (known, items, test)


@pytest.mark.parametrize(("known", "items", "test", "words"), [(6, 5, 0, "need 6 items"), (5, 18, 10, "need 19 items")])
def test_too_few_items_are_refused_with_the_number_that_is_needed(
    known: int, items: int, test: int, words: str
) -> None:
    with pytest.raises(TooFewItemsError, match=words):
        wanted_known(known, items, test_questions=test, tests=3)


def test_they_come_from_as_many_pictures_as_possible() -> None:
    items = [read_item(CHECK, foil(number, image=f"{number % 5}.jpg"), number) for number in range(20)]
    assert len({item.images[0] for item in drawn(items, 1)[:5]}) == 5
    assert len(drawn(items, 1)) == 20
    assert drawn(items, 1) != drawn(items, 2)


def test_half_of_them_are_foils() -> None:
    items = [read_item(CHECK, foil(number), number) for number in range(10)]
    assert [one.item.partition(":")[2] for one in versions(items)] == ["correct", "foil"] * 5


def test_an_atom_can_be_known_only_if_its_answer_is() -> None:
    items = [read_item(ATOM, atom(str(number), **more), number) for number, more in enumerate([{}, {"visual": "no"}])]
    assert [item.name for item in drawn(items, 1)] == ["1"]
