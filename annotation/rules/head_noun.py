"""Head nouns [paper 3.1.2]: the last word of a chunk, in lower case, singular or plural as it stands."""

from collections.abc import Sequence


def head_noun(words: Sequence[str]) -> str:
    """Return the last word with a letter or a digit, in lower case and not lemmatised: "dogs" is not "dog".

    So punctuation that a tokenizer left behind the noun ("hat" ".") is skipped. A chunk of punctuation alone has its
    last word as head. Raises ValueError for no words at all.
    """
    if not words:
        raise ValueError("A chunk without words has no head noun.")
    readable = [word for word in words if any(character.isalnum() for character in word)]
    return (readable or words)[-1].lower()
