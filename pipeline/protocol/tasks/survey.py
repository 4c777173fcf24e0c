"""Surveys [beyond paper 3]: the two questions beside the paper's six, and the majority of the votes on one of them.

Caption check, for FOIL: does a caption fit its picture, and if not, which word is wrong? Captions in which one word was
exchanged are shown among correct ones. Atom visual, for oracle captioning: can the meaning of a word be seen in a
picture? An atom is the lemma of an entity, an action or an attribute.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

Verdict = TypeVar("Verdict", bound=Hashable)

MAX_WORD_LENGTH = 60
"""Characters of the right word that a worker may type."""
ATOM_EXAMPLES = 3
"""Captions with their pictures that are shown with an atom."""


class CaptionVerdict(StrEnum):
    CORRECT = "correct"
    WRONG = "wrong"


class AtomCategory(StrEnum):
    """The kind of an atom."""

    ENTITY = "entity"
    ACTION = "action"
    ATTRIBUTE = "attribute"


class AtomAnswer(StrEnum):
    YES = "yes"
    NO = "no"


def tokens(caption: str) -> list[str]:
    """Return the words of a caption as workers choose among them: its parts between white space."""
    return caption.split()


def tokens_shown(shown: Mapping[str, Any]) -> int:
    """Return how many words the caption has that a question shows; 0 for a question of another task."""
    return len(tokens(shown.get("survey", {}).get("caption", "")))


def caption_verdict(answer: Mapping[str, Any]) -> CaptionVerdict:
    """Return the verdict of an answer to a caption check, in which `fault_in` found no fault."""
    return CaptionVerdict(answer["verdict"])


def is_right_check(truth: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Return whether the verdict is right and, where the truth names the wrong word, whether the answer names it."""
    if caption_verdict(answer) is not caption_verdict(truth):
        return False
    return "word" not in truth or answer.get("word") == truth["word"]


def majority_verdict(verdicts: Sequence[Verdict], *, needed: int) -> Verdict | None:
    """Return the verdict of more than half of the votes. None: ask one more worker.

    `needed`: the votes that are asked for, an odd number, so that two possible verdicts never tie. If the number was
    lowered while votes came in, one more vote may be there than needed; a tie then asks once more.
    """
    if len(verdicts) < needed:
        return None
    verdict, votes = Counter(verdicts).most_common(1)[0]
    return verdict if 2 * votes > len(verdicts) else None


def is_unanimous(verdicts: Sequence[Hashable]) -> bool:
    """Return whether there are votes, and all say the same."""
    return len(set(verdicts)) == 1
