"""Atoms [paper Yao 5.1]: lemmas of nouns, verbs and adjectives, which stand for the content of a picture."""

from evaluation.language.lemma import lemma
from evaluation.language.tagger import Tagged

KINDS = {
    **dict.fromkeys(("NN", "NNP", "NNPS", "NNS", "PRP"), "entity"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "action"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "attribute"),
}
"""The category of a tag. Words of other tags are not atoms."""
CATEGORIES = ("entity", "action", "attribute")
Atom = tuple[str, str]
"""Category and lemma."""


def atoms_of(caption: Tagged) -> list[Atom]:
    """Return the atoms of a caption in the order of its words. Raises MissingExtra without lemminflect."""
    return [(KINDS[tag], lemma(word, tag)) for word, tag in caption if tag in KINDS]
