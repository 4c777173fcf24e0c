"""Scores by the probabilities of tokens."""

import math

import pytest

from colleague.sureness import of_boxes, of_choice

HALF, SURE = math.log(0.5), 0.0


def test_the_score_of_a_choice_is_the_product_over_its_tokens_alone() -> None:
    tokens = [('{"', HALF), ("answer", HALF), ('": "', HALF), ("more", HALF), (" needed", HALF), ('"}', HALF)]
    assert of_choice("".join(token for token, _ in tokens), tokens) == pytest.approx(0.25)


def test_the_score_of_a_box_is_the_mean_over_its_tokens() -> None:
    tokens = [("[[", SURE), ("1,2,", HALF), ("3,4", HALF), ("],", SURE), ("[5,6,7,8]", SURE), ("]", HALF)]
    first, second = of_boxes("".join(token for token, _ in tokens), tokens)
    assert first == pytest.approx(0.5 ** (2 / 4)) and second == pytest.approx(1.0)


def test_there_is_no_score_where_the_server_tells_no_probabilities() -> None:
    assert of_choice('{"answer": "good"}', []) is None
    assert of_boxes("[1, 2, 3, 4]", []) == [None]


def test_there_is_no_score_where_tokens_and_text_differ() -> None:
    assert of_choice('{"answer": "good"}', [("good", HALF)]) is None
