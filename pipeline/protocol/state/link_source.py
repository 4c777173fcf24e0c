"""Link source [paper figure 3]: what decided about the link between two mentions."""

from collections.abc import Sequence
from enum import StrEnum


class LinkSource(StrEnum):
    """The last thing that acted on a link. Two of them are beyond the paper: the posterior, and a program."""

    ASKED_YES = "asked yes"
    ASKED_NO = "asked no"
    REASKED = "re-asked"
    TRANSITIVITY = "inferred by transitivity"
    POSTERIOR = "inferred from the posterior"
    PROGRAM = "judged by a program"
    OVERRULED = "overruled"
    SPLIT = "split by verification"
    MERGED = "merged by boxes"
    EXPERT = "set by an expert"
    CAPTION = "ruled out by caption"
    TYPE = "ruled out by type"


def source_of_asked(votes: Sequence[bool], *, given: bool, overruled: bool) -> LinkSource:
    """Return the source of a link that an expert set or workers were asked about.

    `votes`: oldest first; none if no worker could answer. `given`: an expert set the link.
    """
    if given:
        return LinkSource.EXPERT
    if overruled:
        return LinkSource.OVERRULED
    if len(votes) > 1:
        return LinkSource.REASKED
    return LinkSource.ASKED_YES if votes and votes[0] else LinkSource.ASKED_NO
