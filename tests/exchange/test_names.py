import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange.names import image_name, natural_key
from exchange.problems import Defect


def test_numbers_sort_by_value_and_case_counts_last() -> None:
    names = ["b", "a10", "a2", "A2", "10", "9", "a", "009", "a2b"]
    assert sorted(names, key=natural_key) == ["009", "9", "10", "a", "A2", "a2", "a2b", "a10", "b"]


@settings(max_examples=100)
@given(st.text(max_size=8), st.text(max_size=8))
def test_different_names_have_different_keys_that_can_be_compared(a: str, b: str) -> None:
    assert (natural_key(a) == natural_key(b)) == (a == b)
    assert (natural_key(a) < natural_key(b)) != (natural_key(b) <= natural_key(a))


def test_a_name_has_no_ending_and_no_folders() -> None:
    assert image_name("a.b.jpg") == "a.b"
    assert image_name("train/cats/1.jpg") == "train_cats_1"


@pytest.mark.parametrize(
    "value", ["", " ", "/a.jpg", "../a.jpg", "a/./b", "a//b", "a\\b", "C:a", ".a.jpg", "x" * 201, "a\nb\0"]
)
def test_it_refuses_paths_that_are_no_names(value: str) -> None:
    with pytest.raises(Defect):
        image_name(value)
