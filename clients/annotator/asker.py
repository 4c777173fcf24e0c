"""Asks the model a question of the service and reads its answer."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from clients.annotator import questions
from clients.annotator.coordinates import MOST_EXAMPLES, Form, FormExample, find_form, keep_form, stored_form
from clients.annotator.errors import NoAnswer
from clients.annotator.model import ServedModel
from clients.annotator.pictures import PictureLoader, Sent
from clients.annotator.questions import Prompts
from clients.annotator.replies import ModelReply
from clients.annotator.service import Service

Tokens = Sequence[tuple[str, float]]
"""Tokens of a reply with their log probabilities."""
ANSWER = re.compile(r'"answer"\s*:\s*"([^"]*)"')
NUMBER = r"\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*"
BOX = re.compile(rf"\[{NUMBER}(?:,{NUMBER}){{3}}\]")


def of_choice(content: str, tokens: Tokens, within: tuple[int, int]) -> float | None:
    """Return the probability of the chosen answer, 0 to 1; None if the server did not tell it.

    `within`: the characters [start, end) of the content that are the answer, without the model's thought.
    """
    found = ANSWER.search(content, *within)
    inside = _logprobs(_ends(content, tokens), tokens, *found.span(1)) if found else []
    return math.exp(sum(inside)) if inside else None


def of_boxes(content: str, tokens: Tokens, within: tuple[int, int]) -> list[float | None]:
    """Return for each box of the answer, in order, the geometric mean of its tokens' probabilities, 0 to 1."""
    ends = _ends(content, tokens)
    spans = [_logprobs(ends, tokens, *found.span()) for found in BOX.finditer(content, *within)]
    return [math.exp(sum(inside) / len(inside)) if inside else None for inside in spans]


def _ends(content: str, tokens: Tokens) -> list[int]:
    """Return the place of the content at which each token ends; none if tokens and text do not agree."""
    if "".join(token for token, _ in tokens) != content:
        return []
    return list(accumulate(len(token) for token, _ in tokens))


def _logprobs(ends: Sequence[int], tokens: Tokens, start: int, end: int) -> list[float]:
    """Return those of the tokens that overlap the characters [start, end)."""
    first, last = bisect_right(ends, start), bisect_left(ends, end)
    return [logprob for _, logprob in tokens[first : last + 1]] if ends else []


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer in the form of the API, and its score from 0 to 1; None: the server tells no probabilities."""

    answer: Any
    score: float | None


class Asker:
    """A model with its prompts. `form`: how it gives boxes; None until that is known."""

    def __init__(self, model: ServedModel, prompts: Prompts, pictures: PictureLoader, form: Form | None) -> None:
        self.model, self.prompts, self.pictures, self.form = model, prompts, pictures, form

    def ask(self, task: str, question: dict[str, Any]) -> ScoredAnswer:
        """Return the model's answer. Raises NoAnswer."""
        sent = self.sent(question)

        def read(reply: ModelReply) -> ScoredAnswer:
            answer = questions.read_answer(task, reply.content, self.form or Form.PIXELS, sent.frame)
            return ScoredAnswer(answer, _score(task, reply))

        return self.model.ask(task, self.text(task, question, sent), sent, questions.schema(task), read)

    def sent(self, question: dict[str, Any]) -> Sent:
        """Return the question's picture with its boxes. Raises NoPicture."""
        return self.pictures.sent(question["image"], question["boxes"], question["new_box"])

    def text(self, task: str, question: dict[str, Any], sent: Sent, *, trained: bool = False) -> str:
        """Return the question's prompt. `trained`: boxes are asked for as the model was trained to give them."""
        form = self.form or Form.PIXELS
        places = questions.places(question, form, sent.frame)
        return self.prompts.text(task, question["language"], None if trained else form, sent.frame.sent, **places)

    def learn_form(self, service: Service, folder: Path) -> Form:
        """Find out on the project's examples of box drawing how the model gives boxes, unless that is known.

        Raises WrongUse if they do not tell it.
        """
        self.form = self.form or stored_form(folder, self.model.name)
        if self.form is None:
            # Without boxes that are done: in which numbers should the model be told these?
            examples = [
                example
                for example in service.examples(questions.DRAWING)
                if example["missing"] and not example["boxes"]
            ]
            drawn = [found for example in examples[:MOST_EXAMPLES] if (found := self._drawn(example))]
            self.form = find_form(drawn)
            keep_form(folder, self.model.name, self.form)
        return self.form

    def _drawn(self, example: dict[str, Any]) -> FormExample | None:
        try:
            sent = self.sent(example)
            text = self.text(questions.DRAWING, example, sent, trained=True)
            schema = questions.schema(questions.DRAWING)
            numbers = self.model.ask(questions.DRAWING, text, sent, schema, _drawn_numbers)
        except NoAnswer:
            return None
        return FormExample(numbers, sent.frame, example["missing"]) if numbers else None


def _drawn_numbers(reply: ModelReply) -> list[float] | None:
    return questions.drawn(questions.json_in(reply.content))


def _score(task: str, reply: ModelReply) -> float | None:
    read = questions.span_of_json(reply.content)
    if task != questions.DRAWING:
        return of_choice(reply.content, reply.tokens, read)
    return next(iter(of_boxes(reply.content, reply.tokens, read)), None)
