"""Properties of the belief policy: who may answer what, and that every chain ends, in any order of answers."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.states import ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.redraw import drawings_of
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN
from pipeline.rules.progress.progress import ChainProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.answers import drawing
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.flow import SETTLED
from pipeline.rules.tasks.task import Task
from tests.pipeline.test_image_machine_properties import begun, propose, random_answer
from tests.support.images import Story
from tests.support.legal import assert_legal

MISSING = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)
CHAINS = [[("people", "a man"), ("scene/other", "dogs"), ("animals", "two dogs"), ("scene", "a park")]]
protocols = st.builds(
    ProtocolSettings,
    box_policy=st.just(BoxPolicy.BELIEF),
    box_sure=st.sampled_from([0.6, 0.9, 0.98]),
    no_box_votes=st.integers(1, 3),
    proposals=st.booleans(),
    fuse_boxes=st.booleans(),
    redraw_below=st.sampled_from([0.0, 0.99]),
)
seeds = st.integers(0, 10**6)
checked = settings(max_examples=10)


def answered(story: Story, rng: random.Random) -> None:
    """Let anyone who may answer the question, of as few workers as suffice; a worker has a shift."""
    question = rng.choice(list(story.progress.open.values()))
    needed = workers_needed(story.settings)[question.task]
    free = [worker for worker in range(needed) if worker not in question.barred]
    if not free and question.task is Task.BOX_DRAWING and question.subject[1:]:
        story.add(EntryKind.STARVE, {"question": question.number})
        return
    assert free, f"starved: {question}"
    answer = random_answer(rng, question)
    if question.subject[1:] and rng.random() < 0.5 and question.task is Task.BOX_DRAWING:
        answer = drawing(story.progress.boxes[question.subject[1]].box)
    data = {"question": question.number, "worker": rng.choice(free[:6]), "answer": answer, "shift": rng.uniform(-2, 2)}
    story.add(EntryKind.JUDGMENT, data)


def assert_independent(story: Story, chain: ChainProgress) -> None:
    """Raise AssertionError if a worker has said the same thing twice, or judged what they drew."""
    people = [one for one in chain.heard if one.trust is None]
    said = [(one.worker, frozenset(one.boxes)) for one in people if one.task in MISSING]
    assert len(set(said)) == len(said), "whether something is missing is asked of each worker once"
    judged = [(one.worker, one.boxes[0]) for one in people if one.task is Task.BOX_QUALITY]
    assert len(set(judged)) == len(judged)
    for worker, box in judged:
        drawings = drawings_of(story.progress.boxes[box])
        assert worker not in {one.worker for one in drawings}, "a drawer has judged the box"
    for drawn in story.progress.boxes.values():
        assert len({one.worker for one in drawn.drawings}) == len(drawn.drawings), "nobody draws a thing twice"
    drawer = None
    for one in chain.heard:
        drawer = one.worker if one.task is Task.BOX_DRAWING and not one.is_second else drawer
        assert one.task is not Task.BOX_COVERAGE or one.worker != drawer, "the drawer has judged the visit"


def against(chain: ChainProgress) -> set[int | None]:
    """Return the workers who have voted for no box."""
    return {
        one.worker
        for one in chain.heard
        if (one.task is Task.BOX_REQUIREMENT and one.answer != 1)
        or (one.task is Task.BOX_DRAWING and one.answer == NOTHING_DRAWN and not one.boxes)
    }


@checked
@given(protocol=protocols, seed=seeds)
def test_nobody_says_the_same_twice_or_judges_their_own_and_everything_ends(protocol, seed):
    rng = random.Random(seed)
    story = begun(CHAINS, protocol)
    propose(story, rng)
    for _ in range(400):
        for chain in story.progress.chains.values():
            assert_independent(story, chain)
        assert_legal(story.progress)
        if not story.progress.open:
            break
        answered(story, rng)
    assert {chain.state for chain in story.progress.chains.values()} <= {ChainState.REVIEW, *SETTLED}


@checked
@given(protocol=protocols, seed=seeds)
def test_no_chain_ends_by_fewer_workers_than_the_settings_ask_for(protocol, seed):
    rng = random.Random(seed)
    story = begun(CHAINS, protocol)
    propose(story, rng)
    while story.progress.open:
        answered(story, rng)
    for chain in story.progress.chains.values():
        if chain.state is ChainState.NON_VISUAL:
            assert len(against(chain)) >= protocol.no_box_votes
        if chain.state is ChainState.COMPLETE:
            assert any(one.trust is None for one in chain.heard), "programs alone have made it complete"
            assert chain.box_confidence is not None


@checked
@given(protocol=protocols, seed=seeds)
def test_boxes_that_were_dropped_stay_dropped(protocol, seed):
    rng = random.Random(seed)
    story = begun(CHAINS, protocol)
    gone: set[int] = set()
    for _ in range(60):
        if not story.progress.open:
            break
        answered(story, rng)
        there = {box.number for chain in story.progress.chains for box in story.progress.accepted(chain)}
        assert not gone & there
        gone |= (
            set(story.progress.boxes)
            - there
            - {box.number for chain in story.progress.chains for box in story.progress.pending(chain)}
        )
