"""Audits of models [beyond paper 3.3]: the share of chains, or images, that people answer about whatever models say."""

from collections.abc import Iterable
from enum import StrEnum

from belief.models.records import ModelRecord

SUSPECTED_AUDIT = 0.2
"""The share, at least, while a program's answers make a belief too sure of itself."""


class LinkAudit(StrEnum):
    """The audit of an image's links."""

    PEOPLE = "people"
    """People answer about them whatever models say."""
    CLOSELY = "closely"
    """Of a checked data set: people are asked more than doubt demands, so that the share of wrong ones shows."""
    BOTH = "both"


def audit_share(records: Iterable[ModelRecord], usual: float) -> float:
    """Return the share, 0 to 1. `records`: of the programs at work; `usual`: the project's setting.

    It is 1 while nobody knows how good one of them is, and at least SUSPECTED_AUDIT while one counts less than in full.
    """
    audited = list(records)
    if not all(record.is_known for record in audited):
        return 1.0
    return max(usual, SUSPECTED_AUDIT) if any(record.weight < 1 for record in audited) else usual
