"""Sentences whose words name their boxes, read and generated."""

import numpy as np
import pytest

from evaluation.content_selection.sentences import FUNCTION_WORDS, generate, read_correspondence, term, word_of
from evaluation.errors import InputError
from tests.evaluation.content_selection.scenes import scene

BOXES = scene({"2": "woman.n.01", "3": "police_car"}, "23").boxes


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


def test_the_first_lemma_of_a_synset_is_the_word() -> None:
    assert [word_of(one) for one in ("dog.n.01", "traffic_light.n.01", "dog", "u.s.")] == [
        "dog", "traffic light", "dog", "u.s.",
    ]  # fmt: skip


def test_sentences_name_the_boxes_in_order_with_function_words_between() -> None:
    sentences = {generate(BOXES, np.random.default_rng(seed), ("near", "by")) for seed in range(30)}
    joined = {f"[Woman]2 {word}{the} [police car]3 ." for word in ("near", "by") for the in ("", " the")}
    assert sentences == joined
    assert all(read_correspondence(one, "here") == ["2", "3"] for one in sentences)


def test_the_same_seed_writes_the_same_sentence() -> None:
    first, second = (generate(BOXES, np.random.default_rng(4), FUNCTION_WORDS) for _ in range(2))
    assert first == second


def test_no_boxes_give_no_sentence() -> None:
    assert generate((), np.random.default_rng(1)) == ""
