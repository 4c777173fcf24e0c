"""Fields of a data card that nothing but its requester can tell: license, source, and whatever else no record knows."""

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


SHORT = 300
CARD_FIELDS = (
    CardField("license", "License", "An SPDX name such as CC-BY-4.0, or the address of its text.", SHORT),
    CardField("source", "Source", "Where pictures and captions come from, and under which terms.", lines=3),
    CardField("url", "Page", "The address of the data set's page.", SHORT),
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


def given(stored: Mapping[str, Any]) -> dict[str, str]:
    """Return every field of a stored card by its name; empty texts were not given. Unknown names are passed over."""
    return {field.name: str(stored.get(field.name, "")).strip() for field in CARD_FIELDS}


def to_store(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that hold a text, in the order of CARD_FIELDS, for `Project.data_card`."""
    return {name: text for name, text in given(texts).items() if text}
