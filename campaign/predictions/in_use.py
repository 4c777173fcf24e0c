"""Sentences on the use of a program: how often its links and boxes are right by the project's answers, and what of it.

Verification questions score a program too (`scores`); these sentences are about what the project acts on.
"""

from collections.abc import Mapping

from annotation.rules.states import BoxState
from pipeline.rules.boxing.box_prior import BoxPrior
from pipeline.rules.boxing.next_box_question import DROP
from pipeline.rules.image.proposals import trust_in
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors
from pipeline.rules.linking.adaptive.program_links import WEAK, ratios
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy

OFF = "Not used: the setting is off."
SCORES = (10, 30, 50, 70, 90)
"""A score in percent of each part of the scores that is trusted apart."""


def links_in_use(program: int, settings: ProtocolSettings) -> str:
    """Return how the links of a program that predicts chains are used. `program`: its number."""
    if not settings.proposals:
        return OFF
    if settings.strategy is not Strategy.ADAPTIVE:
        return "Not used: only the adaptive strategy reads predicted chains."
    known = settings.program_errors.get(str(program))
    missed, false = CrowdErrors(*known) if known else WEAK
    rates = f"joins {1 - missed:.0%} of the pairs that are one thing, and {false:.0%} of those that are not"
    if known is None:
        return (
            f"Used with caution: no answers tell yet how often they are right. Until then it is taken that it {rates}."
        )
    if ratios(CrowdErrors(missed, false)) == (0.0, 0.0):
        return f"Set aside, as they say no more than a guess: it {rates}."
    return f"Used: it {rates}."


def boxes_in_use(program: int, by_state: Mapping[str, int], settings: ProtocolSettings) -> str:
    """Return how the boxes of a program are used. `by_state`: the number of its proposed boxes in each state."""
    if not settings.proposals:
        return OFF
    good, bad = (by_state.get(state.value, 0) for state in (BoxState.ACCEPTED, BoxState.DISCARDED))
    share = f"{good} of {good + bad} that were tried were kept" if good + bad else "none was tried yet"
    if settings.box_policy is not BoxPolicy.BELIEF:
        return f"Used: {share}. Each is tried, however many are bad."
    prior = settings.box_rules().prior
    trust = trust_in(program, None, prior)
    if max(trust_in(program, score, prior) for score in (None, *SCORES)) < DROP:
        use = f"Set aside, as {1 - trust:.0%} of them are expected to be bad: {share}."
    else:
        expected = f"{trust:.0%} of the next are expected to be good"
        use = f"Used where they save more work than they make: {share}, and {expected}."
    return use + _numbers(program, prior)


def _numbers(program: int, prior: BoxPrior) -> str:
    """Return a sentence on what the numbers of proposed boxes tell; empty if nothing is known of them."""
    record = prior.programs.get(str(program))
    if record is None or not record.numbers:
        return ""
    right, chains = sum(row[place] for place, row in enumerate(record.numbers)), sum(map(sum, record.numbers))
    return (
        f" How many it proposes is weighed too: for {right:g} of {chains:g} finished chains that was the right number."
    )
