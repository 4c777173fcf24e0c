"""Plan of a group [paper 3.1.1]: ask the project's strategy which links to ask next."""

from collections.abc import Iterable, Sequence

from annotation.rules.transitivity import LinkMention, Pair, can_corefer, groups, reading_order
from belief.links.answer_model import Heard
from belief.links.group_belief import told_by_others
from belief.links.program_links import program_links, word_on_two
from belief.models.lot import LinkLot
from belief.models.source import Source
from pipeline.policies.checked import changed_links, kept_pairs, misplaced, pairs_alike, told_by_boxes, told_together
from pipeline.policies.engine import engine_of
from pipeline.policies.juror_links import told_by_jurors
from pipeline.policies.plan_adaptively import plan_adaptively
from pipeline.policies.plan_beyond_rules import plan_beyond_rules
from pipeline.protocol.links.plan import LinkPlan
from pipeline.protocol.links.strategies import Strategy, plan_links
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

CHANGED = 0.5
"""The share of the usual doubt that may be left about links before chains of a checked data set are changed."""
JUDGED = 0.6
"""The share of the usual doubt that may be left about links where jurors have judged some: they show where to ask."""
IN_LOT, IN_LOT_JUDGED = 0.4, 0.16
"""The share of the usual doubt that is left about links of the lot, which tells how many are wrong in all.

The second where jurors have judged some, so that people are asked about more than jurors call wrong.
"""
USUAL_STOP = 0.1
"""The bits that an answer about links must tell, at most, where a checked data set errs much."""


def planned_together(mentions: Iterable[LinkMention], settings: Settings) -> list[tuple[LinkMention, ...]]:
    """Return the groups of mentions that are planned together, in reading order."""
    if engine_of(settings).links_beyond_rules:
        everything = tuple(sorted(mentions, key=reading_order))
        return [everything] if everything else []
    return groups(mentions)


def may_be_asked(one: LinkMention, other: LinkMention, settings: Settings) -> bool:
    """Return whether the project may ask whether the two are one thing."""
    return engine_of(settings).links_beyond_rules or can_corefer(one, other)


def heard_of(progress: ImageProgress) -> dict[Pair, list[Heard]]:
    """Return the votes on each pair, oldest first, with how much each is worth."""
    return {pair: [Heard(vote.answer, vote.shift) for vote in votes] for pair, votes in progress.votes.items()}


def plan_group(progress: ImageProgress, group: Sequence[LinkMention], settings: Settings) -> LinkPlan:
    """Return the links to ask next between these mentions, and the chains that the mentions make."""
    if settings.strategy is Strategy.ADAPTIVE:
        source = engine_of(settings).source
        in_lot = source.program != 0 and progress.link_lot in (LinkLot.PEOPLE, LinkLot.CLOSELY)
        left = (IN_LOT_JUDGED if progress.juror_votes else IN_LOT) if in_lot else 1.0
        plan = _plan_adaptively(progress, group, settings, left)
        if not plan.open and changed_links(progress, plan.chains, source):
            plan = _plan_adaptively(progress, group, settings, min(left, CHANGED))
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


def plan_believed(progress: ImageProgress, group: Sequence[LinkMention], settings: Settings) -> LinkPlan:
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
    settings: Settings,
    left: float = 1.0,
) -> LinkPlan:
    """`left`: the share of the usual doubt that may be left."""
    source = engine_of(settings).source.of_links({kind for one in group for kind in one.types})
    chains = engine_of(settings).families_in(Task.COREFERENCE_LINK).one_of_each(progress.program_chains)
    stop = settings.link_stop * left
    if source.program and progress.juror_votes:
        stop *= JUDGED
    alike = pairs_alike(progress, source)
    passed = {pair: one.likeness for pair, one in alike.items()}
    programs = program_links(chains, settings.program_errors, source, misplaced(progress, source), passed)
    plan = plan_beyond_rules if engine_of(settings).links_beyond_rules else plan_adaptively
    return plan(
        group,
        heard_of(progress),
        prior=engine_of(settings).links,
        stop=min(stop, USUAL_STOP) if source.errs_much else stop,
        most=settings.link_most,
        errors=engine_of(settings).crowd,
        given=progress.given,
        skipped=progress.skipped,
        reask_share=settings.reask_share,
        jurors=told_together(
            kept_pairs(progress, source),
            told_by_boxes(alike, word_on_two(settings.program_errors, source)),
            told_by_jurors(progress, settings),
        ),
        programs=programs if settings.proposals else (),
    )


def told_by_other_links(progress: ImageProgress, settings: Settings) -> dict[Pair, float]:
    """Return for each judged pair the chance, 0 to 1, that it is together, whatever was answered to it itself.

    So one answer can be checked without asking a second worker.
    """
    heard, told = heard_of(progress), dict[Pair, float]()
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        told |= told_by_others(
            group, heard, prior=engine_of(settings).links, errors=engine_of(settings).crowd, given=progress.given
        )
    return told
