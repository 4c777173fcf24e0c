"""Texts about one box: a caption that is, as a whole, the phrase of the box."""

from collections.abc import Iterable

from annotation.rules.box import Box
from exchange.chunk_captions import trimmed
from exchange.grounding.said import SaidCaption, caption_text
from exchange.problems import Defect
from exchange.words import character_span, tokenized_caption


def whole_caption(text: object, boxes: Iterable[Box], where: str) -> SaidCaption:
    """Return the caption. Punctuation at its ends is no part of the phrase. Raises Defect for one without a word."""
    own = caption_text(text, where)
    caption = tokenized_caption(own)
    spans = trimmed(caption.words, [(0, len(caption.words))])
    if not spans:
        raise Defect(f"{where} has no word")
    return SaidCaption(own, where, {character_span(caption, *spans[0]): list(boxes)})
