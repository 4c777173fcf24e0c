"""Scores by the probabilities of tokens."""

import math
import re
from types import SimpleNamespace
from typing import Any

import pytest

from colleague.asker import Asker
from colleague.coordinates import Form, Frame
from colleague.pictures import Sent
from colleague.prompts import Prompts
from colleague.propose import ByModel
from colleague.replies import Reply
from colleague.sureness import of_boxes, of_choice

HALF, SURE = math.log(0.5), 0.0
SENT = Sent(b"a picture", Frame((100, 100), (100, 100)))
QUESTION = {"image": {}, "boxes": [], "new_box": [1, 2, 3, 4], "captions": [], "other_captions": [], "language": "en"}


def says(thought: str, said: str) -> Any:
    """Return a model that is half as sure of each word of its thought as of what it says."""
    tokens = [*((one, HALF) for one in re.findall(r"\w+|\W", thought)), (said, SURE)]
    reply = Reply(thought + said, tokens=tuple(tokens))
    return SimpleNamespace(ask=lambda *asked: reply)


def test_the_score_of_a_choice_is_the_product_over_its_tokens_alone() -> None:
    tokens = [('{"', HALF), ("answer", HALF), ('": "', HALF), ("more", HALF), (" needed", HALF), ('"}', HALF)]
    content = "".join(token for token, _ in tokens)
    assert of_choice(content, tokens, (0, len(content))) == pytest.approx(0.25)


def test_the_score_of_a_box_is_the_mean_over_its_tokens() -> None:
    tokens = [("[[", SURE), ("1,2,", HALF), ("3,4", HALF), ("],", SURE), ("[5,6,7,8]", SURE), ("]", HALF)]
    content = "".join(token for token, _ in tokens)
    first, second = of_boxes(content, tokens, (0, len(content)))
    assert first == pytest.approx(0.5 ** (2 / 4)) and second == pytest.approx(1.0)


def test_there_is_no_score_where_the_server_tells_no_probabilities() -> None:
    assert of_choice('{"answer": "good"}', [], (0, 18)) is None
    assert of_boxes("[1, 2, 3, 4]", [], (0, 12)) == [None]


def test_there_is_no_score_where_tokens_and_text_differ() -> None:
    assert of_choice('{"answer": "good"}', [("good", HALF)], (0, 18)) is None


@pytest.mark.parametrize(
    "thought", ['<think>{"answer": "bad"}</think>', 'First {"answer": "bad"}, but then: ```json\n']
)
def test_the_score_of_a_choice_is_that_of_the_answer_that_is_read_and_not_of_the_thought(thought: str) -> None:
    said = '{"answer": "good"}' + ("\n```" if "```" in thought else "")
    pictures: Any = SimpleNamespace(sent=lambda *asked: SENT)
    given = Asker(says(thought, said), Prompts(), pictures, Form.PIXELS).ask("box_quality", QUESTION)
    assert (given.answer, given.score) == ("good", 1.0)


def test_the_scores_of_boxes_are_those_of_the_boxes_that_are_read() -> None:
    model = says(
        "<think>[9, 9, 12, 12] or [5, 6, 7, 8]?</think>", '{"phrases": [{"phrase": 1, "boxes": [[5, 6, 7, 8]]}]}'
    )
    pictures: Any = SimpleNamespace(sent=lambda image: SENT)
    image = {"language": "en", "captions": ["A man."], "phrases": [{"caption": 0, "text": "A man"}]}
    assert ByModel(model, Prompts(), pictures, Form.PIXELS).boxes(image) == [[((5, 6, 7, 8), 1.0)]]
