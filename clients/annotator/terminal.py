"""Text of servers as it is shown in a terminal."""

import unicodedata

ALLOWED_CONTROLS = "\n\t"


def shown(text: str) -> str:
    """Return the text with control characters written out, which could move the cursor or change the window."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in ALLOWED_CONTROLS or not _is_control(character) else f"\\u{ord(character):04x}"
        for character in text
    )


def _is_control(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "C" or kind in ("Zl", "Zp")
