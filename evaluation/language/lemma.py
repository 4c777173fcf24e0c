"""Lemmas by lemminflect: of a lower-cased word and its tag, since "saw" the tool is not a form of "see"."""

from functools import cache

from evaluation.optional import need

CLASSES = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
"""The word class of a tag's first two letters; other words are their own lemma."""


@cache
def lemma(word: str, tag: str) -> str:
    """Return the lemma in lower case. Raises MissingExtra without lemminflect."""
    low = word.lower()
    if tag[:2] not in CLASSES or tag.startswith("NNP"):
        return low
    found = need("lemminflect", "lemmas").getLemma(low, upos=CLASSES[tag[:2]])
    return str(found[0]).lower() if found else low
