"""Head nouns [paper 3.1.2]: the last word of a chunk, in small letters, with its number kept."""

from collections.abc import Sequence


def head_noun(words: Sequence[str]) -> str:
    """The last word that holds a letter or a digit, lower-cased and not lemmatised: "dogs" is not "dog".

    Punctuation that a tokenizer left behind the noun ("hat" ".") does not count; a chunk of nothing
    else has its last word as head, and no words at all are a ValueError.
    """
    if not words:
        raise ValueError("A chunk without words has no head noun.")
    readable = [word for word in words if any(character.isalnum() for character in word)]
    return (readable or words)[-1].lower()
