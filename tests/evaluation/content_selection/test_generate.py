"""Generated sentences."""

import numpy as np

from evaluation.content_selection.correspondence import read_correspondence
from evaluation.content_selection.generate import FUNCTION_WORDS, generate, word_of
from tests.evaluation.content_selection.scenes import scene

BOXES = scene({"2": "woman.n.01", "3": "police_car"}, "23").boxes


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
