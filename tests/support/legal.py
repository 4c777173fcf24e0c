"""Rules that hold for every image after every entry, whatever was done to it."""

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.rules.image.chain_steps import Act
from pipeline.rules.image.linking import linking_groups
from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.progress.progress import ChainProgress, ImageProgress, Machine, OpenQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.flow import ASKED, SETTLED
from pipeline.rules.tasks.task import QuestionState, Task

STATES = {
    Machine.IMAGE: ImageState,
    Machine.CHAIN: ChainState,
    Machine.BOX: BoxState,
    Machine.QUESTION: QuestionState,
}
BOXED = {ChainState.REQUIREMENT, ChainState.DRAWING, ChainState.QUALITY, ChainState.COVERAGE}


def assert_legal(progress: ImageProgress, *, own_proposals_judged: bool = False) -> None:
    """Raise AssertionError for the first rule that does not hold.

    `own_proposals_judged`: the settings let, or did let, programs judge the boxes that they proposed.
    """
    _chains_partition_the_mentions(progress)
    for chain in progress.chains.values():
        _chain_is_whole(progress, chain)
        _nobody_is_in_a_tally_twice(chain)
    for pair in {*progress.votes, *progress.juror_votes}:
        votes = [*progress.votes.get(pair, ()), *progress.juror_votes.get(pair, ())]
        assert len({vote.worker for vote in votes}) == len(votes), f"a worker answered a link twice: {votes}"
    _nobody_is_asked_again_what_was_voided(progress)
    _boxes_belong(progress)
    _questions_are_those_demanded(progress, own_proposals_judged=own_proposals_judged)
    _image_state_follows(progress)
    for move in progress.moves:
        assert {move.old, move.new} <= {"", *STATES[move.machine]}, move


def _chains_partition_the_mentions(progress: ImageProgress) -> None:
    held = [number for chain in progress.chains.values() for number in chain.mentions]
    assert sorted(held) == (sorted(progress.mentions) if progress.started else [])
    for name, chain in progress.chains.items():
        assert chain.mentions == progress.reading_order(chain.mentions)
        assert name == chain.name == chain.mentions[0], "named by its first mention"


def _chain_is_whole(progress: ImageProgress, chain: ChainProgress) -> None:
    assert isinstance(chain.state, ChainState)
    accepted = len(progress.accepted(chain.name))
    assert (chain.state is ChainState.NON_VISUAL) == bool(chain.non_visual)
    assert (chain.state is ChainState.REVIEW) == bool(chain.review)
    if chain.state in (ChainState.NON_VISUAL, ChainState.REQUIREMENT, ChainState.LINKING):
        assert not accepted
    if chain.state in (ChainState.COMPLETE, ChainState.COVERAGE):
        assert accepted
    assert chain.representative in chain.mentions or (chain.state not in BOXED and chain.representative == -1)


def _nobody_is_in_a_tally_twice(chain: ChainProgress) -> None:
    for tally in (
        [vote.worker for vote in chain.requirement if vote.answer != 0],
        [vote.worker for vote in chain.coverage],
    ):
        assert len(set(tally)) == len(tally)


def _nobody_is_asked_again_what_was_voided(progress: ImageProgress) -> None:
    for question in progress.open.values():
        if question.task is Task.COREFERENCE_LINK:
            first, second = question.subject
            assert set(progress.voided.get((first, second), ())) <= set(question.barred)


def _boxes_belong(progress: ImageProgress) -> None:
    for box in progress.boxes.values():
        assert 0 <= box.box.x0 < box.box.x1 and 0 <= box.box.y0 < box.box.y1
        shown_before = box.state is BoxState.PENDING and progress.chains[box.chain].heard
        assert box.accepted is None or box.state in (BoxState.ACCEPTED, BoxState.DISCARDED) or shown_before
        assert box.state is BoxState.DISCARDED or box.chain in progress.chains
    for chain in progress.chains.values():
        pending = [b for b in progress.boxes.values() if b.chain == chain.name and b.state is BoxState.PENDING]
        assert len(pending) == (chain.state is ChainState.QUALITY)


def _questions_are_those_demanded(progress: ImageProgress, *, own_proposals_judged: bool) -> None:
    chains = {name: chain for name, chain in progress.chains.items() if chain.state is not ChainState.LINKING}
    others = [question for question in progress.open.values() if question.task is not Task.COREFERENCE_LINK]
    asked = sorted((question.subject[0], question.task) for question in others)
    assert asked == sorted((name, ASKED[chain.state]) for name, chain in chains.items() if chain.state in ASKED)
    for question in others:
        proposed = question.task is Task.BOX_QUALITY and progress.boxes[question.subject[1]].proposed
        own = progress.boxes[question.subject[1]].worker if proposed and own_proposals_judged else None
        _bars_are_kept(progress, question, chains[question.subject[0]], own)
    _links_are_open_where_linking(progress)
    assert all(number == question.number < progress.asked for number, question in progress.open.items())


def _bars_are_kept(progress: ImageProgress, question: OpenQuestion, chain: ChainProgress, proposer: int | None) -> None:
    """`proposer`: a program that may judge its own box."""
    barred = {*question.barred, proposer}
    if chain.heard:
        assert not (chain.requirement or chain.coverage or chain.coverage_barred or chain.found_none)
        assert {one.worker for one in _heard_of_the_same(progress, question, chain)} - {None} <= barred
    if question.task is Task.BOX_QUALITY:
        box = progress.boxes[question.subject[1]]
        assert (box.state, box.chain) == (BoxState.PENDING, chain.name)
        assert box.worker in barred, "the drawer judges it"
    if question.task is Task.BOX_REQUIREMENT:
        assert {vote.worker for vote in chain.requirement} <= barred
    if question.task is Task.BOX_DRAWING:
        assert set(chain.found_none) <= barred
        if not progress.accepted(chain.name):
            assert {vote.worker for vote in chain.requirement} <= barred
    if question.task is Task.BOX_COVERAGE:
        assert {*chain.coverage_barred, *(vote.worker for vote in chain.coverage)} <= barred


def _heard_of_the_same(progress: ImageProgress, question: OpenQuestion, chain: ChainProgress) -> list[HeardAnswer]:
    """Return what was heard under the belief policy of the thing that the question asks."""
    if question.task is Task.BOX_QUALITY:
        judged = question.subject[1]
        own = [one for one in chain.heard if one.task is Task.BOX_DRAWING and one.answer == judged]
        return [*own, *(one for one in chain.heard if one.task is question.task and one.boxes == [judged])]
    there = {box.number for box in progress.accepted(chain.name)}
    missing = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)
    return [one for one in chain.heard if question.task in missing and one.task in missing and {*one.boxes} == there]


def _links_are_open_where_linking(progress: ImageProgress) -> None:
    links = [q for q in progress.open.values() if q.task is Task.COREFERENCE_LINK]
    pairs = [tuple(question.subject) for question in links]
    assert len(set(pairs)) == len(pairs)
    groups = [{m.number for m in group} for group in linking_groups(Act(progress, ProtocolSettings(), 0))]
    for group in groups:
        assert any(set(pair) <= group for pair in pairs), f"nothing is asked of {group}, which is not placed"
    for question in links:
        first, second = (progress.mentions[number] for number in question.subject)
        assert first.order < second.order
        assert any({first.number, second.number} <= group for group in groups)
        cast = progress.votes.get((first.number, second.number), [])
        assert {vote.worker for vote in cast} <= set(question.barred)
        assert cast or (first.caption != second.caption and set(first.types) & set(second.types))


def _image_state_follows(progress: ImageProgress) -> None:
    states = {chain.state for chain in progress.chains.values()}
    settled = states <= SETTLED
    if progress.state is ImageState.MERGED:
        assert settled
        members = sorted(member for merged in progress.merged for member in merged.members)
        assert members == sorted(box.number for name in progress.chains for box in progress.accepted(name))
        return
    assert progress.merged == []
    assert all(chain.merged_into is None for chain in progress.chains.values())
    linking = not progress.started or ChainState.LINKING in states
    resting = ChainState.REVIEW in states and states <= {ChainState.REVIEW, *SETTLED}
    wanted = ImageState.LINKING if linking else ImageState.REVIEW if resting else ImageState.BOXING
    assert progress.state is wanted
