"""Messages of the service in the reader's language. Stored and logged is always the English."""

import re
from functools import cache

from django.utils.translation import get_language, gettext

from workers.sentences import SENTENCES

NAME = re.compile(r"{(\w+)}")


def said(text: str) -> str:
    """Return a sentence of `workers.sentences` in the language of the reader, its values in their places.

    Any other text, such as a requester's own words, is returned as it is.
    """
    if not text or (get_language() or "en").startswith("en"):
        return text
    if text in SENTENCES:
        return gettext(text)
    for pattern, sentence in _patterns():
        if found := pattern.fullmatch(text):
            return NAME.sub(lambda name, of=found: said(of[name[1]]), gettext(sentence))  # type: ignore[misc]
    return text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what finds each sentence that has values. Of two that fit, the longer one comes first."""
    with_values = sorted((one for one in SENTENCES if "{" in one), key=len, reverse=True)
    return tuple((_pattern(sentence), sentence) for sentence in with_values)


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = NAME.split(sentence)
    return re.compile("".join(f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)), re.S)
