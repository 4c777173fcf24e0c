"""Values of settings as a form shows them and a browser sends them back."""

from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any

from django.http import QueryDict

from annotation.rules.comparable import comparable_word
from annotation.rules.dictionaries import LISTS
from annotation.rules.mention_type import NOUN_TYPES
from pipeline.protocol.setting_words import SettingKind
from pipeline.settings.guide import Setting

PERCENT = 100
EMPTY_ROWS = 3
"""Rows of the word lists that wait to be filled in."""
MOST_ROWS = 500
PAIRS = tuple(combinations([type_.value for type_ in NOUN_TYPES], 2))
Edit = tuple[str, str, str]


class FieldError(ValueError):
    """A value cannot be read; the message says what it should be."""


def written(setting: Setting, value: Any) -> str:
    """Return one value as the text of its input."""
    if setting.kind is SettingKind.PERCENT:
        return f"{Decimal(str(value)) * PERCENT:f}".rstrip("0").rstrip(".") if value else "0"
    return f"{value}" if not isinstance(value, float) else f"{value:.10g}"


def read_one(setting: Setting, text: str) -> Any:
    """Read the value of a number, a choice or a text. Raises FieldError that says the range."""
    text = text.strip()
    if setting.kind is SettingKind.CHOICE:
        return _choice(setting, text)
    if setting.kind is SettingKind.TEXT:
        return text
    return _number(setting, text)


def _choice(setting: Setting, text: str) -> str:
    names = [choice.value for choice in setting.choices]
    if text not in names:
        raise FieldError(f"One of {', '.join(names)}, not “{text[:40]}”.")
    return text


def _number(setting: Setting, text: str) -> int | float:
    limits, scale = setting.limits, PERCENT if setting.kind is SettingKind.PERCENT else 1
    kind = "A whole number" if limits.whole else "A number"
    wrong = FieldError(f"{kind} {limits.words(scale)}, not {text[:40] or 'empty'}.")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise wrong from None
    if not number.is_finite() or abs(number) > 10**12:
        raise wrong
    number /= scale
    if not limits.holds(float(number)):
        raise wrong
    return int(number) if limits.whole else float(number)


def read_pairs(posted: list[str], now: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the chosen pairs of types; those of now keep their order, which says nothing."""
    chosen = {frozenset(text.split("|")) for text in posted}
    kept = [pair for pair in now if frozenset(pair) in chosen]
    known = {frozenset(pair) for pair in kept}
    return (*kept, *(pair for pair in PAIRS if frozenset(pair) in chosen - known))


def read_types(posted: list[str], now: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen types; those of now keep their order."""
    new = tuple(type_.value for type_ in NOUN_TYPES if type_.value in posted and type_.value not in now)
    return (*(value for value in now if value in posted), *new)


def posted_rows(data: QueryDict) -> list[Edit]:
    """Return the rows of the word lists as they were sent."""
    columns = (data.getlist(f"edit.{name}")[:MOST_ROWS] for name in ("what", "word", "list"))
    return list(zip(*columns, strict=False))


def read_edits(rows: list[Edit]) -> dict[str, dict[str, list[str]]]:
    """Return the edits that the rows make; a row without a word is none. Raises FieldError that names the row."""
    found: dict[str, dict[str, list[str]]] = {}
    for number, (what, word, name) in enumerate(rows, 1):
        word = " ".join(comparable_word(word).split()).lower()
        if not word:
            continue
        if what not in ("add", "remove"):
            raise FieldError(f"Row {number}: choose add or remove.")
        if name not in LISTS:
            raise FieldError(f"Row {number}: choose the list of “{word[:40]}”.")
        words = found.setdefault(what, {}).setdefault(name, [])
        if word not in words:
            words.append(word)
    return found
