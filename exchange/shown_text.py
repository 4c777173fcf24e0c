"""Texts of a source as people are told of them: what cannot be stored is written as in a program, such as \\x00."""

import re

UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters, but for the white space tab, line feed and carriage return; and halves of characters."""


def shown_text(text: str) -> str:
    """Return the text with the characters that cannot be stored written out."""
    return UNUSABLE.sub(lambda found: ascii(found[0])[1:-1], text)
