"""Rules that hold for images of which the crowd alone decides, under the same settings all the time."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.image.checked import stands
from pipeline.rules.image.plan_group import plan_group, planned_together
from pipeline.rules.image.redraw import drawings_of
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.transitivity import can_corefer
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN
from pipeline.rules.progress.progress import ChainProgress, Machine, OpenQuestion
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import BOX_TASKS, Task
from tests.support.images import Story

EXHAUSTIVE = (Strategy.EXHAUSTIVE, Strategy.EXHAUSTIVE_PLUS)
MISSING = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)


def about_missing(story: Story, question: OpenQuestion) -> tuple[Any, ...] | None:
    """Return the task, the chain and the boxes beside which a question asks whether one is missing; None of others."""
    if question.task not in MISSING or question.subject[1:]:
        return None
    boxes = tuple(box.number for box in story.progress.accepted(question.subject[0]))
    return question.task, tuple(story.progress.chains[question.subject[0]].mentions), boxes


def assert_crowd(story: Story, said: Mapping[tuple[Any, ...], set[int]]) -> None:
    """Raise AssertionError for the first rule that does not hold. `said`: who has answered, by `about_missing`."""
    for question in story.progress.open.values():
        asked = about_missing(story, question)
        have = said.get(asked, set()) if asked else set()
        assert have <= {*question.barred}, "nobody is asked the same twice"
        if question.task is Task.BOX_DRAWING and story.settings.box_policy is BoxPolicy.PAPER:
            assert len(have) < story.settings.fruitless_drawings, "enough have found none missing"
    most = workers_needed(story.settings)[Task.COREFERENCE_LINK]
    assert all(len(votes) <= most for votes in story.progress.votes.values()), "a link was asked too often"
    if story.settings.strategy is not Strategy.ADAPTIVE:
        _order_of_links_does_not_matter(story)
    if story.settings.strategy.is_plus:
        _settled_links_are_followed(story)
    if story.settings.strategy in EXHAUSTIVE and not story.settings.source().program:
        _every_link_was_asked(story)
    dropped = [one for one in story.progress.moves if one.machine is Machine.BOX and one.old == BoxState.DISCARDED]
    assert all(one.new == BoxState.DISCARDED for one in dropped), "a dropped box is back"
    if story.settings.box_policy is BoxPolicy.BELIEF:
        for chain in story.progress.chains.values():
            _nobody_says_the_same_twice(story, chain)
            _families_count_once(story, chain)
            _enough_have_ended(story, chain)
    else:
        for chain in story.progress.chains.values():
            _votes_have_decided(story, chain)


def _order_of_links_does_not_matter(story: Story) -> None:
    progress = story.progress
    turned = replace(progress, votes=dict(reversed(progress.votes.items())))
    for group in planned_together((one.for_links() for one in progress.mentions.values()), story.settings):
        plan = plan_group(progress, group, story.settings)
        firsts = [chain[0] for chain in plan.chains]
        assert firsts == progress.reading_order(firsts)
        assert plan == plan_group(turned, group[::-1], story.settings)


def _every_link_was_asked(story: Story) -> None:
    progress = story.progress
    mentions = [progress.mentions[number].for_links() for number in progress.reading_order(progress.mentions)]
    placed = [chain.mentions for chain in progress.chains.values() if chain.state is not ChainState.LINKING]
    linked = {number for chain in placed for number in chain}
    pairs = {(a.number, b.number) for a, b in combinations(mentions, 2) if can_corefer(a, b)}
    assert {pair for pair in pairs if linked.issuperset(pair)} <= progress.votes.keys() <= pairs


def _settled_links_are_followed(story: Story) -> None:
    progress = story.progress
    placed = [chain for chain in progress.chains.values() if chain.state is not ChainState.LINKING]
    for chain in placed:
        own = [progress.mentions[number].for_links() for number in chain.mentions]
        assert all(can_corefer(one, other) for one, other in combinations(own, 2)), "a rule of links is broken"
    chain_of = {number: chain.name for chain in placed for number in chain.mentions}
    for (one, other), votes in progress.votes.items():
        source = progress.sources.get((one, other))
        if one in chain_of and source is not LinkSource.SPLIT:
            yes = 2 * sum(vote.answer for vote in votes) > len(votes) and source is not LinkSource.OVERRULED
            assert (chain_of[one] == chain_of[other]) == yes, "a settled link is not followed"


def _nobody_says_the_same_twice(story: Story, chain: ChainProgress) -> None:
    boxes, own_judged = story.progress.boxes, story.settings.own_proposals_judged
    workers = [one for one in chain.heard if one.trust is None]
    # In a small crew the drawer judges the coverage, too.
    again = Task.BOX_COVERAGE if story.settings.drawer_judges_coverage else None
    said = [(one.worker, one.task is again, frozenset(one.boxes)) for one in workers if one.task in MISSING]
    assert len(set(said)) == len(said), "whether something is missing is asked of each worker once"
    judged = [one for one in workers if one.task is Task.BOX_QUALITY]
    assert len({(one.worker, one.boxes[0]) for one in judged}) == len(judged)
    for one in judged:
        box = boxes[one.boxes[0]]
        drawers = {drawing.worker for drawing in drawings_of(box) if drawing.entry < one.entry}
        assert one.worker not in drawers or (own_judged and box.proposed), "a drawer has judged the box"
    drawer, lets = None, False
    for one in chain.heard:
        if one.task is Task.BOX_DRAWING and not one.is_second:
            drawer = one.worker
            lets = (own_judged and one.trust is not None) or story.settings.drawer_judges_coverage
        assert one.task is not Task.BOX_COVERAGE or lets or one.worker != drawer, "the drawer has judged the visit"


def _families_count_once(story: Story, chain: ChainProgress) -> None:
    """A family is asked the same twice in the lot alone, and judges its own box only where settings let it."""
    progress, families = story.progress, story.settings.families_in(Task.BOX_QUALITY)
    said: dict[tuple[Task, frozenset[int]], list[int]] = defaultdict(list)
    for one in chain.heard:
        if not one.juror or one.worker is None:
            continue
        before = said[one.task, frozenset(one.boxes)]
        assert chain.in_lot or not families.is_one_of(one.worker, before), "a family was asked twice"
        before.append(one.worker)
        if one.task is Task.BOX_QUALITY and not story.settings.own_proposals_judged:
            proposer = story.progress.boxes[one.boxes[0]].worker
            assert proposer is None or not families.are_one(one.worker, proposer), "a family has judged its own box"
    for question in () if chain.in_lot else progress.open.values():
        if question.task in BOX_TASKS and question.subject[0] == chain.name:
            shown = [box.number for box in (*progress.accepted(chain.name), *progress.pending(chain.name))]
            heard = said[question.task, frozenset(question.subject[1:] or shown)]
            free = {*story.settings.jurors} - {*question.barred}
            assert not any(families.is_one_of(juror, heard) for juror in free), "a family could answer twice"


def _votes_have_decided(story: Story, chain: ChainProgress) -> None:
    if chain.state is ChainState.NON_VISUAL:
        against = sum(vote.answer != 1 for vote in chain.requirement)
        assert against >= story.settings.no_box_votes and 2 * against > len(chain.requirement)
    if chain.state is ChainState.COMPLETE:
        assert sum(vote.answer == "all there" for vote in chain.coverage) >= story.settings.coverage_votes


def _enough_have_ended(story: Story, chain: ChainProgress) -> None:
    """A chain ends by as many workers as the settings ask for, unless it is as the data set that is checked has it."""
    kept = [box.number for box in story.progress.accepted(chain.name)]
    if stands(story.progress, chain, story.settings.source(), kept):
        return
    alone, families = story.settings.box_rules().programs_alone, story.settings.families_in(Task.BOX_QUALITY)
    if chain.state is ChainState.NON_VISUAL:
        votes = families.firsts(_against(chain), lambda worker: (worker, None))
        assert len(set(votes)) >= story.settings.no_box_votes
        assert alone or _against(chain, jurors=False), "programs alone have made it non-visual"
    if chain.state is ChainState.COMPLETE:
        assert alone or any(one.trust is None and not one.juror for one in chain.heard), "programs alone end it"
        assert chain.box_confidence is not None


def _against(chain: ChainProgress, *, jurors: bool = True) -> list[int]:
    """Return the workers who have voted for no box, with programs or without."""
    return [
        one.worker
        for one in chain.heard
        if one.worker is not None
        and (jurors or not one.juror)
        and (
            (one.task is Task.BOX_REQUIREMENT and one.answer != 1)
            or (one.task is Task.BOX_DRAWING and one.answer == NOTHING_DRAWN and not one.boxes)
        )
    ]
