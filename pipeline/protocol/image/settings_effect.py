"""Settings effect [beyond paper 3]: the effect of other settings on the open questions of an image."""

from collections.abc import Collection
from typing import NamedTuple

from annotation.rules.states import ChainState
from pipeline.protocol.boxes.policy import BoxDecision
from pipeline.protocol.image.chain_steps import ImageUpdate
from pipeline.protocol.image.linking import has_new_rules, linking_groups, replan_all, take_new_rules
from pipeline.protocol.rules import EntryContext, Rules
from pipeline.protocol.state.progress import ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import Task


class SettingsEffect(NamedTuple):
    """The effect on one image, or on several: `plus` adds up."""

    open_links: int = 0
    closed_links: int = 0
    """Open links that are withdrawn."""
    opened_links: int = 0
    """Links that are asked instead."""
    links_on_loan: int = 0
    """Open links that workers have or have answered: they stay open until their answers count."""
    votes: int = 0
    """Answers to links of mentions that are not placed yet."""
    unread_votes: int = 0
    """Of these, answers that counted before and that the new strategy does not read."""
    placed_chains: int = 0
    """Chains whose linking ends, because the new settings ask nothing more of them."""
    met_tallies: int = 0
    """Chains whose votes suffice under the new settings: their question closes with its next answer."""

    def plus(self, other: "SettingsEffect") -> "SettingsEffect":
        return SettingsEffect(*(number + added for number, added in zip(self, other, strict=True)))


def settings_effect(progress: ImageProgress, before: Rules, after: Rules, out: Collection[int]) -> SettingsEffect:
    """Apply an entry that does nothing but bring the rules `after`, and count what it does. Changes the progress.

    `out`: the numbers of the open links that are answered or on loan.
    """
    asked = _links(progress)
    votes, unread = _votes(progress, before, ImageUpdate(progress, after, progress.sequence + 1))
    if not has_new_rules(progress, after):
        return SettingsEffect(len(asked), met_tallies=_met(progress, before, after))
    linking = {chain.name for chain in progress.chains.values() if chain.state is ChainState.LINKING}
    update = ImageUpdate(progress, after, progress.sequence + 1, EntryContext(on_loan=tuple(out)))
    take_new_rules(update)
    replan_all(update)
    still = _links(progress)
    placed = [
        chain
        for chain in progress.chains.values()
        if chain.state is not ChainState.LINKING and linking.intersection(chain.mentions)
    ]
    return SettingsEffect(
        open_links=len(asked),
        closed_links=len(asked - still),
        opened_links=len(still - asked),
        links_on_loan=len(asked & still & set(out)),
        votes=votes,
        unread_votes=unread,
        placed_chains=len(placed),
        met_tallies=_met(progress, before, after),
    )


def _links(progress: ImageProgress) -> set[int]:
    return {question.number for question in progress.open.values() if question.task is Task.COREFERENCE_LINK}


def _votes(progress: ImageProgress, before: Rules, update: ImageUpdate) -> tuple[int, int]:
    """Count people's answers about mentions that are not placed, and those that only the old policy reads."""
    waiting = {mention.number for group in linking_groups(update) for mention in group}
    people = progress.votes_by(model=False)
    cast = [[vote.entry for vote in votes] for pair, votes in people.items() if waiting.issuperset(pair)]
    answers = {entry for entries in cast for entry in entries}
    stops_reading = before.links.reads_all_votes and not update.rules.links.reads_all_votes
    return len(answers), len(answers.difference(entries[0] for entries in cast)) if stops_reading else 0


def _met(progress: ImageProgress, before: Rules, after: Rules) -> int:
    asked = (Task.BOX_REQUIREMENT, Task.BOX_COVERAGE)
    chains = [progress.chains[question.subject[0]] for question in progress.open.values() if question.task in asked]
    return sum(_is_met(progress, chain, after) and not _is_met(progress, chain, before) for chain in chains)


def _is_met(progress: ImageProgress, chain: ChainProgress, rules: Rules) -> bool:
    step = rules.boxes.enter(progress, chain)
    return isinstance(step, BoxDecision) and step.verdict is not None
