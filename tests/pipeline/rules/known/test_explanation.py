"""Explanations of examples: each is about its own phrases and boxes, and sure of them."""

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from annotation.rules.box import Box
from pipeline.rules.known.explanation import explain
from pipeline.rules.known.known_from_gold import Known, KnownChain
from pipeline.rules.tasks.answers import CHOICES
from pipeline.rules.tasks.task import SURVEY_TASKS, Task

LEFT, RIGHT, HAT = Box(0, 0, 40, 40), Box(50, 0, 90, 40), Box(10, 0, 20, 8)
DOGS = KnownChain((0, 1), False, (LEFT, RIGHT))
BROWN = KnownChain((2, 5), False, (LEFT,))
CAP = KnownChain((3,), False, (HAT,))
PARK = KnownChain((4,), True, ())
CHAINS = (DOGS, BROWN, CAP, PARK)
PHRASES = {0: "Two dogs", 1: "the pets", 2: "a brown dog", 3: "a cap", 4: "a park", 5: "the dog"}


def why(
    task: Task,
    truth: Any,
    *mentions: int,
    boxes: Sequence[Box] = (),
    new: Box | None = None,
    chains: Sequence[KnownChain] = CHAINS,
) -> str:
    places = [[number, number, 0, 2] for number in mentions]
    shown = {"mentions": places, "boxes": [list(box) for box in boxes], "new_box": list(new) if new else None}
    return explain(Known(task, shown, truth), PHRASES, chains)


def test_an_example_is_explained_by_its_own_phrases_and_boxes() -> None:
    for said, words in [
        (why(Task.COREFERENCE_LINK, "same", 0, 1), "In this picture “Two dogs” and “the pets” mean the same."),
        (
            why(Task.COREFERENCE_LINK, "different", 0, 2),
            "“a brown dog” means only a part of what “Two dogs” means: 1 of 2 things.",
        ),
        (
            why(Task.COREFERENCE_LINK, "different", 2, 3),
            "“a brown dog” is one thing in this picture, “a cap” is another.",
        ),
        (why(Task.CHAIN_VERIFICATION, "true", 2, 5), "“a brown dog” and “the dog” mean the same in this picture."),
        (
            why(Task.CHAIN_VERIFICATION, "false", 2, 5, 3),
            "“a cap” means something else than “a brown dog” and “the dog”.",
        ),
        (
            why(Task.CHAIN_VERIFICATION, "false", 2, 3),
            "“a brown dog” and “a cap” do not mean the same in this picture.",
        ),
        (why(Task.BOX_REQUIREMENT, 1, 3), "You can see “a cap” in the picture, and a box fits around it."),
        (why(Task.BOX_REQUIREMENT, 2, 4), "“a park” is the place as a whole, not a thing in it."),
        (why(Task.BOX_QUALITY, "good", 3, new=HAT), "The new box is tight around the whole of “a cap”."),
        (
            why(Task.BOX_QUALITY, "good", 0, new=LEFT),
            "The new box is tight around the whole of one thing of “Two dogs”.",
        ),
        (why(Task.BOX_QUALITY, "bad", 2, new=Box(0, 0, 13, 40)), "The new box cuts off a part of “a brown dog”."),
        (
            why(Task.BOX_QUALITY, "bad", 2, new=Box(20, 0, 60, 40)),
            "The new box is off “a brown dog”: it cuts a part off and holds what does not belong to it.",
        ),
        (why(Task.BOX_QUALITY, "bad", 3, new=Box(0, 0, 90, 90)), "The new box is much larger than “a cap”."),
        (why(Task.BOX_QUALITY, "bad", 0, boxes=[LEFT], new=LEFT), "This thing of “Two dogs” has a box already."),
        (why(Task.BOX_COVERAGE, "all there", 2, boxes=[LEFT]), "Everything that “a brown dog” means has its box."),
        (why(Task.BOX_COVERAGE, "more needed", 0, boxes=[LEFT]), "One thing that “Two dogs” means has no box."),
        (
            why(Task.BOX_COVERAGE, "more needed", 3, boxes=[RIGHT]),
            "The box is around something else: “a cap” has none.",
        ),
        (why(Task.BOX_DRAWING, [], 2, boxes=[LEFT]), "Everything that “a brown dog” means has its box."),
        (
            why(Task.BOX_DRAWING, [list(RIGHT)], 0, boxes=[LEFT]),
            "One box is missing for “Two dogs”: tight, around the whole.",
        ),
        (why(Task.BOX_DRAWING, [list(LEFT)], 2), "One box is needed for “a brown dog”: tight, around the whole."),
        (
            why(Task.BOX_DRAWING, [list(LEFT), list(RIGHT)], 0),
            "2 boxes are missing for “Two dogs”. Each of them is right: tight, around the whole of one thing.",
        ),
    ]:
        assert said == words


def test_no_explanation_hedges() -> None:
    for chains, (task, truths) in product((CHAINS, ()), CHOICES.items()):
        if task in SURVEY_TASKS:
            continue
        mentions = (2, 3) if task in (Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION) else (2,)
        said = [why(task, truth, *mentions, new=Box(0, 0, 13, 40), chains=chains) for truth in truths]
        assert len(set(said)) == len(said)
        assert all(text.endswith(".") and "“" in text for text in said)
        assert not re.search(r"\b(probably|perhaps|may|might|could|seems?|or)\b", " ".join(said))


CAPTION = {"caption": "a dog rides past"}
ATOM = {"atom": "idea", "category": "entity", "examples": []}


def test_a_surveys_example_is_explained_by_its_word() -> None:
    for task, asked, truth, words in [
        (Task.CAPTION_CHECK, CAPTION, {"verdict": "correct"}, "Every word of the caption fits the picture."),
        (Task.CAPTION_CHECK, CAPTION, {"verdict": "wrong", "word": 1}, "“dog” does not fit the picture."),
        (Task.CAPTION_CHECK, CAPTION, {"verdict": "wrong"}, "A word of the caption does not fit the picture."),
        (Task.ATOM_VISUAL, ATOM, "yes", "What “idea” means can be seen in a picture."),
        (Task.ATOM_VISUAL, ATOM, "no", "What “idea” means cannot be seen in a picture."),
    ]:
        shown = {"mentions": [], "boxes": [], "new_box": None, "survey": asked}
        assert explain(Known(task, shown, truth), {}) == words
