"""Content words [paper 4.1.1]: nouns, adjectives and prepositions stand for a phrase; other words are left out."""

from collections.abc import Sequence


def is_content_tag(tag: str) -> bool:
    """Tell whether a Penn Treebank tag is of a noun (NN*), an adjective (JJ*) or a preposition (IN)."""
    return tag.startswith(("NN", "JJ")) or tag == "IN"


def content_words(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the content words in lower case, in reading order, repeated ones repeated.

    Raises ValueError if there is not one tag a word.
    """
    return [word.lower() for word, tag in zip(words, tags, strict=True) if is_content_tag(tag)]
