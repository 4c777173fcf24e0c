"""Text of servers as it is shown in a terminal."""

import unicodedata

KEPT = "\n\t"


def shown(text: str) -> str:
    """Return the text with control characters written out, which could move the cursor or change the window."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one in KEPT or not _is_control(one) else f"\\u{ord(one):04x}" for one in text)


def _is_control(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] == "C" or kind in ("Zl", "Zp")
