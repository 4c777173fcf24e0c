"""The sentence files of Flickr30k Entities: one caption per line, phrases as [/EN#<chain>/<type> <words>]."""

import re
from dataclasses import dataclass

from annotation.bounds import MOST_CAPTIONS
from exchange.dataset import DatasetCaption, DatasetMention
from exchange.markup import NOT_VISUAL, Marked, Phrase, parse_markup, parse_types
from exchange.problems import Defect
from exchange.words import joined_caption

_CHAIN = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Sentences:
    """The contents of a sentence file, and its bad lines, whose captions are missing."""

    captions: tuple[DatasetCaption, ...]
    mentions: tuple[DatasetMention, ...]
    defects: tuple[Defect, ...]
    empty: tuple[Defect, ...] = ()
    """Brackets without a word, which are left out."""


def parse_sentences(lines: list[str]) -> Sentences:
    """Read the lines of one file. Blank lines are skipped."""
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    defects: list[Defect] = []
    empty: list[Defect] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(captions) + len(defects) == MOST_CAPTIONS:
            defects.append(Defect(f"the file has more than {MOST_CAPTIONS:,} captions", number))
            break
        try:
            marked = parse_markup(line)
            caption, found = parse_caption(marked, len(captions))
        except Defect as defect:
            defects.append(Defect(defect.message, number))
            continue
        empty += [Defect(why, number) for why in marked.empty]
        if marked.empty and not marked.words:
            continue
        captions.append(caption)
        mentions.extend(found)
    return Sentences(tuple(captions), tuple(mentions), tuple(defects), tuple(empty))


def parse_caption(marked: Marked, caption: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    """Read one line as the caption with this number. Raises Defect for markup of another format."""
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
    """Return a chain's number without leading zeros. Raises Defect if it is not a whole number."""
    if not _CHAIN.fullmatch(text):
        raise Defect(f"chain id {text[:40]!r} is not a whole number")
    return str(int(text))


def _mention(phrase: Phrase, caption: int) -> DatasetMention | None:
    """Return the mention of a phrase, or None for a phrase that is not visual."""
    if phrase.tag is None or not phrase.tag.startswith("EN#"):
        raise Defect("a bracket without /EN#<chain>/<type> after it: literal brackets cannot stand in this format")
    number, *types = phrase.tag.removeprefix("EN#").split("/")
    chain = chain_name(number)
    if types == [NOT_VISUAL] and chain == "0":
        return None
    if NOT_VISUAL in types or chain == "0":
        raise Defect(f"/{phrase.tag}: chain 0 goes with the type {NOT_VISUAL} alone, and that type with chain 0")
    return DatasetMention(caption, phrase.start, phrase.end, parse_types(types), chain)
