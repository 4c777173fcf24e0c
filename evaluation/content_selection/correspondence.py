"""Correspondence notation [paper Wang 3, Fig. 2]: sentences whose words name their boxes, “A [woman]2 by a [car]3”."""

import re

from evaluation.errors import InputError

_TERM = re.compile(r"\[(?P<words>[^][]*)\](?P<id>[A-Za-z0-9_.:-]*[A-Za-z0-9_])?")
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.:-]")


def read_correspondence(sentence: str, where: str) -> list[str]:
    """Return the ids in the order of the words, repeats included. Raises InputError, which begins with the place."""
    ids = []
    rest = sentence
    for found in _TERM.finditer(sentence):
        if not found["id"] or not found["words"].strip():
            raise InputError(f"{where}: {found[0]!r} is no [word] followed by the id of its box.")
        ids.append(found["id"])
        rest = rest.replace(found[0], "", 1)
    if "[" in rest or "]" in rest:
        raise InputError(f"{where}: a bracket is not closed, or was not opened.")
    return ids


def term(word: str, box: str) -> str:
    """Return a word with the id of its box, as sentences hold it. Characters that ids may not have become _."""
    return f"[{word}]{_NOT_ALLOWED.sub('_', box)}"
