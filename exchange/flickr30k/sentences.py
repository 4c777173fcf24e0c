"""The sentence files of Flickr30k Entities: a caption a line, phrases as [/EN#<chain>/<type> <words>]."""

import re
from dataclasses import dataclass

from exchange.dataset import DatasetCaption, DatasetMention
from exchange.markup import NOT_VISUAL, Phrase, parse_markup, parse_types
from exchange.problems import Defect
from exchange.words import joined_caption

_CHAIN = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Sentences:
    """What a sentence file says, and the lines of it that are wrong (their captions are missing)."""

    captions: tuple[DatasetCaption, ...]
    mentions: tuple[DatasetMention, ...]
    defects: tuple[Defect, ...]


def parse_sentences(lines: list[str]) -> Sentences:
    """Read the lines of one file. Blank lines are no captions."""
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    defects: list[Defect] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            caption, found = parse_caption(line, len(captions))
        except Defect as defect:
            defects.append(Defect(defect.message, number))
            continue
        captions.append(caption)
        mentions.extend(found)
    return Sentences(tuple(captions), tuple(mentions), tuple(defects))


def parse_caption(line: str, caption: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    """Read one line as the caption with this number. Raises Defect for markup that is not of this format."""
    marked = parse_markup(line)
    mentions = []
    non_visual = []
    for phrase in marked.phrases:
        mention = _mention(phrase, caption)
        if mention is None:
            non_visual.append((phrase.start, phrase.end))
        else:
            mentions.append(mention)
    return joined_caption(marked.words, non_visual=tuple(non_visual)), mentions


def chain_name(text: str) -> str:
    """A chain's number without leading zeros; raises Defect if it is no whole number."""
    if not _CHAIN.fullmatch(text):
        raise Defect(f"chain id {text[:40]!r} is not a whole number")
    return str(int(text))


def _mention(phrase: Phrase, caption: int) -> DatasetMention | None:
    """The mention that the phrase is, or None for a chunk that never was one."""
    if phrase.tag is None or not phrase.tag.startswith("EN#"):
        raise Defect("a bracket without /EN#<chain>/<type> after it: literal brackets cannot stand in this format")
    number, *types = phrase.tag.removeprefix("EN#").split("/")
    chain = chain_name(number)
    if types == [NOT_VISUAL] and chain == "0":
        return None
    if NOT_VISUAL in types or chain == "0":
        raise Defect(f"/{phrase.tag}: chain 0 goes with the type {NOT_VISUAL} alone, and that type with chain 0")
    return DatasetMention(caption, phrase.start, phrase.end, parse_types(types), chain)
