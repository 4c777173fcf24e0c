"""Sentences about one region: captions whose only phrase is all of them, with the box of the region."""

from annotation.rules.box import Box
from exchange.chunk_captions import trimmed
from exchange.grounding.said import SaidCaption
from exchange.problems import Defect
from exchange.words import character_span, tokenized_caption


def whole_phrase(text: str, where: str, box: Box, chain: str, types: tuple[str, ...] = ()) -> SaidCaption:
    """Return the caption. Punctuation at its ends is no part of the phrase. Raises Defect for one without a word.

    `types`: of the phrase; empty: the dictionaries decide.
    """
    caption = tokenized_caption(text)
    spans = trimmed(caption.words, [(0, len(caption.words))])
    if not spans:
        raise Defect(f"{where} has no word")
    span = character_span(caption, *spans[0])
    return SaidCaption(text, where, {span: [box]}, {span: chain}, {span: types} if types else {})
