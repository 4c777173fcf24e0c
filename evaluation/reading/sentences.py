"""Sentence files of Flickr30k Entities: a caption a line, phrases as [/EN#CHAIN/TYPE/TYPE words]."""

import re

from evaluation.errors import InputError
from evaluation.reading.picture import Caption, Phrase

TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene", "other")
"""The types, in the order of the paper's tables."""
_PIECE = re.compile(r"\[/EN#(?P<chain>[0-9]+)(?P<types>(?:/[a-z]+)*)\s+(?P<words>[^][]*)\]|(?P<bracket>[][])")


def read_sentences(text: str, file: str) -> tuple[Caption, ...]:
    """Return the captions of a file. Blank lines are skipped. Raises InputError with file and line."""
    captions: list[Caption] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            captions.append(read_caption(line, len(captions), f"{file}, line {number}"))
    return tuple(captions)


def read_caption(line: str, caption: int, where: str) -> Caption:
    """Return one caption. Raises InputError for brackets that are not a phrase."""
    words: list[str] = []
    phrases: list[Phrase] = []
    at = 0
    for found in _PIECE.finditer(line):
        if found["bracket"]:
            raise InputError(f"{where}: the bracket at character {found.start() + 1} is no [/EN#chain/type words].")
        words += line[at : found.start()].split()
        own = tuple(found["words"].split())
        if not own:
            raise InputError(f"{where}: the phrase at character {found.start() + 1} has no words.")
        types = tuple(found["types"].split("/")[1:])
        phrases.append(Phrase(caption, len(phrases), len(words), own, str(int(found["chain"])), types))
        words += own
        at = found.end()
    words += line[at:].split()
    return Caption(tuple(words), tuple(phrases))
