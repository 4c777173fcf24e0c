"""Rules that hold for every image after every entry, whatever was done to it."""

from typing import NamedTuple

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.policies.box_policy import TRANSITIONS
from pipeline.policies.compose import compose, engine_of
from pipeline.policies.models import drawer_of_last_box
from pipeline.protocol.boxes import tallies
from pipeline.protocol.image.chain_steps import ImageUpdate
from pipeline.protocol.image.judgments import drawings_of
from pipeline.protocol.image.linking import linking_groups
from pipeline.protocol.state.progress import (
    Cause,
    ChainAnswer,
    ChainProgress,
    ImageProgress,
    OpenQuestion,
    StateMachine,
)
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, SETTLED, TABLES, TASK_OF_STATE
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings

STATES = {
    StateMachine.IMAGE: ImageState,
    StateMachine.CHAIN: ChainState,
    StateMachine.BOX: BoxState,
    StateMachine.QUESTION: QuestionState,
}
STEPS = {(old, new) for table in (*TABLES.values(), REVIEW_TRANSITIONS, TRANSITIONS) for (old, _), new in table.items()}
BOXED = {ChainState.REQUIREMENT, ChainState.DRAWING, ChainState.QUALITY, ChainState.COVERAGE}


class Let(NamedTuple):
    """Exceptions that settings make from the rules, or have made when the open questions were asked."""

    own_pre_annotations_judged: bool
    drawer_judges_coverage: bool
    policies: frozenset[BoxPolicyName]

    def lets_judge(self, progress: ImageProgress, question: OpenQuestion) -> set[int | None]:
        """Return the program that may judge its own box."""
        box = progress.boxes[question.subject[1]] if question.task is Task.BOX_QUALITY else None
        return {box.worker} if box and box.pre_annotated and self.own_pre_annotations_judged else set()


def assert_legal(progress: ImageProgress, *settings: Settings) -> None:
    """Raise AssertionError for the first rule that does not hold.

    `settings`: those of the record, the last ones in force; none: the paper's.
    """
    *_, now = settings or [Settings()]
    let = Let(
        any(one.own_pre_annotations_judged for one in settings),
        any(one.drawer_judges_coverage for one in settings),
        frozenset(one.box_policy for one in settings),
    )
    _chains_partition_the_mentions(progress)
    for chain in progress.chains.values():
        _chain_is_whole(progress, chain)
        _nobody_is_in_a_tally_twice(chain)
    assert all(progress.votes.values()), "of a link without votes nothing is heard"
    for votes in progress.votes.values():
        assert len({vote.worker for vote in votes}) == len(votes), f"a worker answered a link twice: {votes}"
    _nobody_is_asked_again_what_was_voided(progress)
    _boxes_belong(progress)
    _questions_are_those_demanded(progress, let)
    _links_are_open_where_linking(progress, now)
    _image_state_follows(progress)
    for move in progress.moves:
        assert {move.old, move.new} <= {"", *STATES[move.machine]}, move
        step = move.old, move.new
        if move.machine is StateMachine.CHAIN and move.cause is not Cause.UNDONE and "" not in step:
            assert move.old == move.new or step in STEPS, "no table has this step"
            own = progress.chains.get(move.subject)
            if move.old == ChainState.LINKING and move.new in BOXED and own and own.mentions[1:]:
                sure = now.strategy is LinkStrategy.ADAPTIVE and now.verify_below < 1
                assert sure or engine_of(now).source.program, "a chain of several mentions was not verified"


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
        [vote.worker for vote in tallies.requirement(chain) if vote.task is Task.BOX_REQUIREMENT],
        [vote.worker for vote in tallies.visit(chain)],
    ):
        assert len(set(tally)) == len(tally)


def _nobody_is_asked_again_what_was_voided(progress: ImageProgress) -> None:
    for question in progress.open.values():
        if question.task is Task.COREFERENCE_LINK:
            for pair in progress.pairs_of(question.subject):
                assert set(progress.voided.get(pair, ())) <= set(question.barred)


def _boxes_belong(progress: ImageProgress) -> None:
    for box in progress.boxes.values():
        assert 0 <= box.box.x0 < box.box.x1 and 0 <= box.box.y0 < box.box.y1
        shown_before = box.state is BoxState.PENDING and progress.chains[box.chain].answers
        assert box.accepted is None or box.state in (BoxState.ACCEPTED, BoxState.DISCARDED) or shown_before
        assert box.state is BoxState.DISCARDED or box.chain in progress.chains
    for chain in progress.chains.values():
        pending = [b for b in progress.boxes.values() if b.chain == chain.name and b.state is BoxState.PENDING]
        assert len(pending) == (chain.state is ChainState.QUALITY)


def _questions_are_those_demanded(progress: ImageProgress, let: Let) -> None:
    chains = {name: chain for name, chain in progress.chains.items() if chain.state is not ChainState.LINKING}
    surveys = [question for question in progress.open.values() if question.task in SURVEY_TASKS]
    for question in surveys:
        asked_of = progress.surveys[question.number]
        assert question.subject == [question.number] and question.task is asked_of.task
        assert {*(vote.worker for vote in asked_of.votes), *asked_of.voided} <= {*question.barred}
    others = [one for one in progress.open.values() if one.task not in (Task.COREFERENCE_LINK, *SURVEY_TASKS)]
    asked = sorted((question.subject[0], question.task) for question in others)
    assert asked == sorted(
        (name, TASK_OF_STATE[chain.state]) for name, chain in chains.items() if chain.state in TASK_OF_STATE
    )
    for question in others:
        _bars_are_kept(progress, question, chains[question.subject[0]], let)
    assert all(number == question.number < progress.next_question for number, question in progress.open.items())


def _bars_are_kept(progress: ImageProgress, question: OpenQuestion, chain: ChainProgress, let: Let) -> None:
    barred: set[int | None] = {None, *question.barred}
    kept = {box.number for box in progress.accepted(chain.name)}
    if question.task is Task.BOX_QUALITY:
        box = progress.boxes[question.subject[1]]
        assert (box.state, box.chain) == (BoxState.PENDING, chain.name)
        assert box.worker in barred or (let.own_pre_annotations_judged and box.pre_annotated), "the drawer judges it"
    if question.task is Task.BOX_DRAWING:
        hidden = [progress.boxes[number] for number in question.subject[1:]]
        assert {one.worker for box in hidden for one in drawings_of(box)} <= barred, "a drawer draws it again"
    if let.policies == {BoxPolicyName.BELIEF}:
        heard = _heard_of_the_same(progress, question, chain)
        if question.task is Task.BOX_COVERAGE and let.drawer_judges_coverage:
            heard = [one for one in heard if one.task is Task.BOX_COVERAGE or one.worker != drawer_of_last_box(chain)]
        assert {one.worker for one in heard} <= barred | let.lets_judge(progress, question)
    if let.policies == {BoxPolicyName.PAPER}:
        asked: dict[Task, set[int | None]] = {
            Task.BOX_REQUIREMENT: tallies.requirement_voters(chain),
            Task.BOX_DRAWING: tallies.found_none(chain, kept),
            Task.BOX_COVERAGE: tallies.judges(chain, kept),
        }
        if not kept:
            asked[Task.BOX_DRAWING] |= {vote.worker for vote in tallies.requirement(chain)}
        assert asked.get(question.task, set()) <= barred, "a worker is asked the same twice"


def _heard_of_the_same(progress: ImageProgress, question: OpenQuestion, chain: ChainProgress) -> list[ChainAnswer]:
    """Return the answers to what the question asks, as the belief policy sees it."""
    if question.task is Task.BOX_QUALITY:
        judged = question.subject[1]
        own = [one for one in chain.answers if one.task is Task.BOX_DRAWING and one.value == judged]
        return [*own, *(one for one in chain.answers if one.task is question.task and one.boxes == [judged])]
    there = {box.number for box in progress.accepted(chain.name)}
    missing = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)
    return [one for one in chain.answers if question.task in missing and one.task in missing and {*one.boxes} == there]


def _links_are_open_where_linking(progress: ImageProgress, settings: Settings) -> None:
    links = [q for q in progress.open.values() if q.task is Task.COREFERENCE_LINK]
    subjects = [tuple(question.subject) for question in links]
    assert len(set(subjects)) == len(subjects)
    groups = [{m.number for m in group} for group in linking_groups(ImageUpdate(progress, compose(settings), 0))]
    for group in groups:
        assert any(set(subject) <= group for subject in subjects), f"nothing is asked of {group}, which is not placed"
    for question in links:
        about, *candidates = question.subject
        assert candidates == progress.reading_order(candidates) and about not in candidates
        assert any({*question.subject} <= group for group in groups)
        for pair in (pairs := progress.pairs_of(question.subject)):
            cast = progress.votes.get(pair, ())
            assert {vote.worker for vote in cast} <= set(question.barred)
            by_rules = compose(settings).links.may_ask(*(progress.mentions[number].for_links() for number in pair))
            assert by_rules or cast or pair in progress.voided or question.pinned
        assert len(pairs) > 1 or pairs == [(about, *candidates)]


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
