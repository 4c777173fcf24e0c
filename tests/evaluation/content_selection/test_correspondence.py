"""Sentences whose words name their boxes."""

import pytest

from evaluation.content_selection.correspondence import read_correspondence, term
from evaluation.errors import InputError


def test_ids_come_in_the_order_of_the_words_with_repeats() -> None:
    assert read_correspondence("A [woman]2 in a [dress]0 near [woman]2.", "here") == ["2", "0", "2"]
    assert read_correspondence("Nobody .", "here") == []


@pytest.mark.parametrize("sentence", ["A [woman] runs", "A []2", "A [woman2", "woman]2", "[[a]1]2"])
def test_broken_brackets_are_refused(sentence: str) -> None:
    with pytest.raises(InputError, match=r"^line 3"):
        read_correspondence(sentence, "line 3")


@pytest.mark.parametrize("box", ["2", "box 1", "a/b", "EN#3"])
def test_a_written_term_can_be_read(box: str) -> None:
    (found,) = read_correspondence(f"The {term('dog', box)} .", "here")
    assert found == box.translate(str.maketrans(" /#", "___"))
