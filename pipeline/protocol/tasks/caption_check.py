"""Caption check [beyond paper 3]: does a caption fit its picture, and if not, which word is wrong?

A survey for FOIL: captions in which one word was exchanged, among correct ones.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

LONGEST_WORD = 60
"""Characters of the right word that a worker may type."""


class Verdict(StrEnum):
    CORRECT = "correct"
    WRONG = "wrong"


def tokens(caption: str) -> list[str]:
    """Return the words of a caption as workers choose among them: its parts between white space."""
    return caption.split()


def tokens_shown(shown: Mapping[str, Any]) -> int:
    """Return how many words the caption has that a question shows; 0 for a question of another task."""
    return len(tokens(shown.get("survey", {}).get("caption", "")))


def verdict_of(answer: Mapping[str, Any]) -> Verdict:
    """Return the verdict of an answer, in which `fault_in` found no fault."""
    return Verdict(answer["verdict"])


def is_right(truth: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Return whether the verdict is right and, where the truth names the wrong word, whether the answer names it."""
    if verdict_of(answer) is not verdict_of(truth):
        return False
    return "word" not in truth or answer.get("word") == truth["word"]
