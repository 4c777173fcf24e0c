"""Fields of a data card that nothing but its requester can tell: license, source, and whatever else no record knows."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CardField:
    """A text that a requester may give; all of them are optional."""

    name: str
    label: str
    help: str
    most: int = 4000
    """The longest text, in characters."""
    lines: int = 1
    """The height of its field, in lines; 1: a text of one line."""
    is_address: bool = False
    """Whether it is the address of a page, and no other text."""


SHORT = 300
CARD_FIELDS = (
    CardField("license", "License", "An SPDX name such as CC-BY-4.0, or the address of its text.", SHORT),
    CardField("source", "Source", "Where pictures and captions come from, and under which terms.", lines=3),
    CardField("url", "Page", "The address of the data set's page.", SHORT, is_address=True),
    CardField("creators", "Creators", "The people who made the data set, one a line.", lines=2),
    CardField("institution", "Institution", "The institution that publishes it.", SHORT),
    CardField("contact", "Contact", "Whom users of the data set ask: an address or a page.", SHORT),
    CardField("citation", "Citation", "How to cite the data set, best as BibTeX.", lines=3),
    CardField(
        "recruiting",
        "Recruiting and pay",
        "What no figure tells: how workers were found, what they were promised, who approved the study.",
        lines=3,
    ),
    CardField(
        "sensitive",
        "Personal or sensitive information",
        "What pictures and captions show of people, and what was done about it.",
        lines=3,
    ),
    CardField("uses", "Intended uses", "What the data set is for, and what it should not be used for.", lines=3),
    CardField("biases", "Known biases", "Of pictures, captions and workers.", lines=3),
    CardField("maintenance", "Maintenance", "Who mends faults, where they are reported, until when.", lines=2),
)


ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
SCRIPT = re.compile("(javascript|vbscript|data):", re.IGNORECASE)


def fault_in(field: CardField, text: str) -> str:
    """Return why a text cannot be taken for a field; empty if it can. Readers of the card make links of addresses."""
    text = text.strip()
    if field.is_address and text and not ADDRESS.fullmatch(text):
        return f"{field.label}: give an address that begins with http:// or https://."
    # A browser passes over blanks and control characters in the name of a scheme.
    if SCRIPT.match("".join(character for character in text if unicodedata.category(character)[0] not in "CZ")):
        return f"{field.label}: an address that runs a program cannot be taken."
    return ""


def given(stored: Mapping[str, Any]) -> dict[str, str]:
    """Return every field of a stored card by its name; empty texts were not given. Unknown names are passed over."""
    return {field.name: str(stored.get(field.name, "")).strip() for field in CARD_FIELDS}


def to_store(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that hold a text, in the order of CARD_FIELDS, for `Project.data_card`."""
    return {name: text for name, text in given(texts).items() if text}
