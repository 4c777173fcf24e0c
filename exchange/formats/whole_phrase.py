"""Sentences about one thing: captions whose only phrase is all of them, with the boxes of the thing."""

from collections.abc import Iterable, Sequence

from annotation.rules.box import Box
from annotation.rules.dictionaries import load_dictionaries, plain_words, types_of
from exchange.chunk_captions import trimmed
from exchange.formats.spans import SaidCaption, caption_text
from exchange.problems import Defect
from exchange.words import character_span, tokenized_caption

_GOES_ON = frozenset(
    (
        "about", "above", "across", "against", "along", "among", "and", "are", "around", "as", "at", "behind",
        "below", "beside", "between", "beyond", "by", "can", "down", "during", "for", "from", "had", "has",
        "have", "in", "inside", "into", "is", "near", "next", "off", "on", "onto", "out", "outside", "over",
        "past", "that", "through", "to", "toward", "towards", "under", "underneath", "up", "upon", "was",
        "were", "which", "while", "who", "whose", "with", "within", "without",
    )
)  # fmt: skip
"""Words that follow the head of a description: prepositions, verbs of state, and what begins a clause."""
_NOUNS_IN_ING = frozenset(
    (
        "awning", "building", "ceiling", "clothing", "dressing", "earring", "evening", "frosting", "icing",
        "king", "lettering", "lightning", "lining", "morning", "painting", "paneling", "parking", "piping",
        "railing", "ring", "sibling", "siding", "spring", "string", "swing", "topping", "wedding", "wing",
        "wiring", "writing",
    )
)  # fmt: skip


def whole_phrase(
    text: object, where: str, boxes: Iterable[Box], chain: str | None = None, category: str = ""
) -> SaidCaption:
    """Return the caption. Punctuation at its ends is no part of the phrase. Raises Defect for one without a word.

    Without a `chain` the boxes tell it. The phrase has the types of the category; without one, those of its head:
    dictionaries read the end of a phrase, which in a sentence often names another thing.
    """
    own = caption_text(text, where)
    caption = tokenized_caption(own)
    spans = trimmed(caption.words, [(0, len(caption.words))])
    if not spans:
        raise Defect(f"{where} has no word")
    span = character_span(caption, *spans[0])
    words = category.split() or head_of(caption.words[slice(*spans[0])])
    types = tuple(map(str, types_of(words, load_dictionaries())))
    return SaidCaption(
        own, where, {span: list(boxes)}, {} if chain is None else {span: chain}, {span: types}, is_phrase=True
    )


def head_of(words: Sequence[str]) -> Sequence[str]:
    """Return the beginning of a description that names its thing: "a man" of "a man wearing a blue shirt"."""
    plain = [" ".join(plain_words([word])) for word in words]
    for place, word in enumerate(plain):
        is_verb = word.endswith("ing") and word not in _NOUNS_IN_ING
        if place and any(plain[:place]) and (not word or word in _GOES_ON or is_verb):
            return words[:place]
    return words
