"""Judged group [beyond paper 3.1.1]: one group of mentions, and everything that was said of its pairs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.program_links import Chains
from pipeline.rules.linking.transitivity import LinkMention, Pair

NO_CHAINS: Mapping[int, Chains] = {}
NOTHING: Mapping[Pair, float] = {}
NO_ANSWERS: "Mapping[Pair, Sequence[tuple[int, bool]]]" = {}


class JudgedGroup(NamedTuple):
    """One group, for refits."""

    mentions: Sequence[LinkMention]
    """In reading order."""
    heard: Mapping[Pair, Sequence[Heard]]
    """The answers of people to each judged pair, oldest first."""
    said: Mapping[int, Chains] = NO_CHAINS
    """By the program's number: the chains of the image that it predicts."""
    told: Mapping[Pair, float] = NOTHING
    """The evidence of programs that judge links, as far as it counted: see `told_by_jurors`."""
    judged: Mapping[Pair, Sequence[tuple[int, bool]]] = NO_ANSWERS
    """All that they said: the program's number, and whether it holds the two to be one thing."""
    in_lot: bool = False
    """People answered whatever programs said."""
