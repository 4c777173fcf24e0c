"""Detector of a phrase [paper 4.1.3]: phrases mapped by hand to the 20 classes of PASCAL, by their head noun.

The paper's list is not printed; the file pascal_words.txt beside this one is ours and can be replaced.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from evaluation.errors import InputError

WORDS = Path(__file__).with_name("pascal_words.txt")


def read_detector_words(file: Path = WORDS) -> dict[str, str]:
    """Return the class of each head noun. A line: class, colon, head nouns; a line that begins with # is a comment.

    Raises InputError, naming the line, for a line without colon and for a noun of two classes.
    """
    classes: dict[str, str] = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, nouns = line.partition(":")
        if not colon:
            raise InputError(f"{file}, line {number}: a class, a colon and its nouns are expected.")
        for noun in nouns.split():
            if classes.setdefault(noun, name.strip()) != name.strip():
                raise InputError(f"{file}, line {number}: {noun} belongs to {classes[noun]} already.")
    return classes


@cache
def default_words() -> Mapping[str, str]:
    """Return the classes of the file that comes along."""
    return read_detector_words()


def detector_class(words: Sequence[str], classes: Mapping[str, str] | None = None) -> str | None:
    """Return the class of the phrase's last word with a letter, or None if it has none."""
    readable = [word.lower() for word in words if any(letter.isalpha() for letter in word)]
    return (default_words() if classes is None else classes).get(readable[-1]) if readable else None
