"""Seconds of links [beyond paper 3.1.1]: how long an answer about two mentions takes, and one to a sweep."""

from typing import NamedTuple


class LinkSeconds(NamedTuple):
    """The seconds that an answer about links takes."""

    pair: float
    further_candidate: float

    def of(self, candidates: int) -> float:
        """Return the seconds of an answer about so many candidates; 1: a pair."""
        return self.pair + self.further_candidate * (candidates - 1)


LINK_SECONDS = LinkSeconds(7.5, 1.1)
"""Of two mentions by paper table 3; of each further candidate a guess of ours."""
