"""Plan of a group [paper 3.1.1]: ask the project's strategy which links to ask next."""

from collections.abc import Sequence

from pipeline.rules.image.checked import changed_links, is_blind, kept_pairs, told_by_equal_boxes
from pipeline.rules.image.juror_links import told_by_jurors
from pipeline.rules.jurors.source import Source
from pipeline.rules.linking.adaptive.answer_model import Heard
from pipeline.rules.linking.adaptive.group_belief import told_by_others
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.adaptive.program_links import program_links
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair, can_corefer, groups
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task

CHANGED = 0.5
"""The share of the usual doubt that may be left about links before chains of a checked data set are changed."""
JUDGED = 0.6
"""The share of the usual doubt that may be left about links where jurors have judged some: they show where to ask."""
USUAL_STOP = 0.1
"""The bits that an answer about links must tell, at most, where a checked data set errs much."""


def heard_of(progress: ImageProgress) -> dict[Pair, list[Heard]]:
    """Return the votes on each pair, oldest first, with how much each is worth."""
    return {pair: [Heard(vote.answer, vote.shift) for vote in votes] for pair, votes in progress.votes.items()}


def plan_group(progress: ImageProgress, group: Sequence[LinkMention], settings: ProtocolSettings) -> LinkPlan:
    """Return the links to ask next between these mentions, and the chains that the mentions make."""
    if settings.strategy is Strategy.ADAPTIVE:
        source = settings.source()
        blind = is_blind(progress, source)
        plan = _plan_adaptively(progress, group, settings, blind=blind)
        if blind and not plan.open:
            # In the lot people are asked as if there were no source. Then their answers and the source decide together,
            # and where the two contradict each other more is asked.
            plan = _plan_adaptively(progress, group, settings)
        if not plan.open and changed_links(progress, plan.chains, source):
            plan = _plan_adaptively(progress, group, settings, stop=settings.link_stop * CHANGED)
        return _heard_first(progress, plan, source)
    return plan_links(
        settings.strategy,
        group,
        {pair: [vote.answer for vote in votes] for pair, votes in progress.votes.items()},
        lead=settings.consensus_lead,
        most=settings.consensus_most,
        given=progress.given,
        skipped=progress.skipped,
    )


def plan_believed(progress: ImageProgress, group: Sequence[LinkMention], settings: ProtocolSettings) -> LinkPlan:
    """Return the adaptive plan of a group by all that is known, whoever has to be asked before it may be followed."""
    return _plan_adaptively(progress, group, settings)


def _heard_first(progress: ImageProgress, plan: LinkPlan, source: Source) -> LinkPlan:
    """Return the plan, or one that asks about a link of the source that would be changed without any answer."""
    changed = [] if plan.open else changed_links(progress, plan.chains, source)
    if any(pair in told for pair in changed for told in (progress.votes, progress.juror_votes, progress.given)):
        return plan
    asked = (pair for pair in changed if pair not in progress.skipped)
    pair = next((one for one in asked if can_corefer(*(progress.mentions[end].for_links() for end in one))), None)
    return plan if pair is None else LinkPlan((pair,), plan.chains, values={pair: 0.0})


def _plan_adaptively(
    progress: ImageProgress,
    group: Sequence[LinkMention],
    settings: ProtocolSettings,
    *,
    blind: bool = False,
    stop: float | None = None,
) -> LinkPlan:
    """`blind`: as if nothing were known of what the data set that is checked says. `stop`: None: as in the settings."""
    source = settings.source().of_links({kind for one in group for kind in one.types})
    said = {one: own for one, own in progress.program_chains.items() if not (blind and one == source.program)}
    chains = settings.families_in(Task.COREFERENCE_LINK).one_of_each(said)
    alike = {} if blind else told_by_equal_boxes(progress, source)
    usual = settings.link_stop if stop is None else stop
    if source.program and progress.juror_votes:
        usual *= JUDGED
    return plan_adaptively(
        group,
        heard_of(progress),
        prior=settings.prior(),
        stop=min(usual, USUAL_STOP) if source.errs_much else usual,
        most=settings.link_most,
        errors=settings.errors(),
        given=progress.given,
        skipped=progress.skipped,
        reask_share=settings.reask_share,
        jurors={**kept_pairs(progress, source), **alike, **told_by_jurors(progress, settings)},
        programs=program_links(chains, settings.program_errors, source) if settings.proposals else (),
    )


def told_by_other_links(progress: ImageProgress, settings: ProtocolSettings) -> dict[Pair, float]:
    """Return for each judged pair the chance, 0 to 1, that it is together, whatever was answered to it itself.

    So one answer can be checked without asking a second worker.
    """
    heard, told = heard_of(progress), dict[Pair, float]()
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        told |= told_by_others(group, heard, prior=settings.prior(), errors=settings.errors(), given=progress.given)
    return told
