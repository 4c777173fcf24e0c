"""Lexicon of an export [beyond paper Shekhar, Dataset]: the common head nouns of phrases, by the phrases' type."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from evaluation.errors import InputError
from evaluation.foil.making.caption_words import bare, tags_of
from evaluation.foil.making.lexicon import ALIKE, Lexicon, Word, named_lines
from evaluation.language import lemma
from evaluation.optional import need
from evaluation.reading.picture import Picture

LEAST = 20
"""Mentions that a noun needs."""
EXPORT_WORDS = Path(__file__).with_name("export_words.txt")
GENERAL = "general"


def lexicon_of_export(pictures: Sequence[Picture], least: int = LEAST) -> Lexicon:
    """Return the nouns that head `least` phrases or more, each under the type that most of its phrases have.

    Words so general that they are never wrong ("person") are left out; words that can name the same thing ("shirt",
    "top") are not a pair. Both are lists in export_words.txt. Raises InputError if no type has two words.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    captions = [caption for picture in pictures for caption in picture.captions]
    for caption, tags in zip(captions, tags_of(caption.text for caption in captions), strict=True):
        for phrase in caption.phrases:
            end = phrase.start + len(phrase.words) - 1
            word, tag = bare(caption.words[end]), tags[end]
            if word.isalpha() and tag in ("NN", "NNS"):
                for kind in phrase.types:
                    if kind != "notvisual":
                        counts[lemma(word, tag)][kind] += 1
    general, alike = _lists()
    chosen = {
        noun: kinds.most_common(1)[0][0]
        for noun, kinds in sorted(counts.items())
        if max(kinds.values()) >= least and noun not in general
    }
    taken: set[str] = set()
    words = []
    for noun, kind in sorted(chosen.items(), key=lambda one: (one[1], -counts[one[0]].total(), one[0])):
        plural = _plural(noun)
        if taken.isdisjoint({noun, plural}):
            taken |= {noun, plural}
            words.append(Word(noun, kind, noun, plural))
    if len(words) < 2:
        raise InputError(f"The export has fewer than two nouns with {least} mentions: give a lexicon as --lexicon.")
    known = {word.word for word in words}
    groups = (group & known for group in alike)
    return Lexicon(tuple(words), (), tuple(group for group in groups if len(group) > 1))


def _lists() -> tuple[set[str], list[frozenset[str]]]:
    rows = [(name, entries.split()) for _, name, entries in named_lines(EXPORT_WORDS.read_text(), EXPORT_WORDS.name)]
    general = {word for name, words in rows if name == GENERAL for word in words}
    return general, [frozenset(words) for name, words in rows if name == ALIKE]


def _plural(noun: str) -> str:
    found: tuple[str, ...] = need("lemminflect", "plurals of nouns").getInflection(noun, "NNS")
    return found[0].lower() if found else f"{noun}s"
