"""Properties of the belief policy: who may answer what, and that every chain ends, in any order of answers."""

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.states import ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.image.checked import stands
from pipeline.rules.image.redraw import drawings_of
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN
from pipeline.rules.progress.progress import ChainProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.answers import drawing
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.flow import SETTLED
from pipeline.rules.tasks.task import Task
from tests.support.happenings import begun, program_settings, propose, random_answer
from tests.support.images import Story
from tests.support.legal import assert_legal

MISSING = (Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE)
CHAINS = [[("people", "a man"), ("scene/other", "dogs"), ("animals", "two dogs"), ("scene", "a park")]]
protocols = st.builds(
    lambda seed, **chosen: ProtocolSettings(**chosen, **program_settings(random.Random(seed)) if seed % 4 else {}),
    st.integers(0, 10**6),
    box_policy=st.just(BoxPolicy.BELIEF),
    box_sure=st.sampled_from([0.6, 0.9, 0.98]),
    no_box_votes=st.integers(1, 3),
    proposals=st.booleans(),
    fuse_boxes=st.booleans(),
    redraw_below=st.sampled_from([0.0, 0.99]),
)
"""One of four without programs that judge."""
seeds = st.integers(0, 10**6)
checked = settings(max_examples=20)


def answered(story: Story, rng: random.Random) -> None:
    """Let anyone who may answer the question, of as few workers as suffice; a worker has a shift.

    Programs that judge are asked first, unless they are asleep.
    """
    question = rng.choice(list(story.progress.open.values()))
    needed = workers_needed(story.settings)[question.task]
    free = [worker for worker in range(needed) if worker not in question.barred]
    if not free and question.task is Task.BOX_DRAWING and question.subject[1:]:
        story.add(EntryKind.STARVE, {"question": question.number})
        return
    assert free, f"starved: {question}"
    programs = [juror for juror in story.settings.jurors if juror not in question.barred]
    is_program = story.settings.has_jurors(question.task) and bool(programs) and rng.random() < 0.8
    who = {"worker": rng.choice(programs), "program": True} if is_program else {"worker": rng.choice(free[:6])}
    answer = random_answer(rng, question)
    if question.subject[1:] and rng.random() < 0.5 and question.task is Task.BOX_DRAWING:
        answer = drawing(story.progress.boxes[question.subject[1]].box)
    data = {"question": question.number, **who, "answer": answer, "shift": rng.uniform(-2, 2)}
    asleep = [juror for juror in story.settings.jurors if rng.random() < 0.2]
    story.add(EntryKind.JUDGMENT, data | ({"asleep": asleep} if asleep else {}))


def assert_independent(story: Story, chain: ChainProgress) -> None:
    """Raise AssertionError if a worker or a program said the same thing twice, or judged what they drew or proposed."""
    boxes, own_judged = story.progress.boxes, story.settings.own_proposals_judged
    workers = [one for one in chain.heard if one.trust is None]
    said = [(one.worker, frozenset(one.boxes)) for one in workers if one.task in MISSING]
    assert len(set(said)) == len(said), "whether something is missing is asked of each worker once"
    judged = [(one.worker, one.boxes[0]) for one in workers if one.task is Task.BOX_QUALITY]
    assert len(set(judged)) == len(judged)
    for worker, box in judged:
        lets = own_judged and boxes[box].proposed
        drawers = {one.worker for one in drawings_of(boxes[box])}
        assert lets or worker not in drawers, "a drawer has judged the box"
    for drawn in boxes.values():
        assert len({one.worker for one in drawn.drawings}) == len(drawn.drawings), "nobody draws a thing twice"
    drawer, lets = None, False
    for one in chain.heard:
        if one.task is Task.BOX_DRAWING and not one.is_second:
            drawer, lets = one.worker, own_judged and one.trust is not None
        assert one.task is not Task.BOX_COVERAGE or lets or one.worker != drawer, "the drawer has judged the visit"


def assert_families_count_once(story: Story, chain: ChainProgress) -> None:
    """Raise AssertionError if a family was asked the same twice outside the lot, or has judged its own box."""
    families = story.settings.families_in(Task.BOX_QUALITY)
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


def against(chain: ChainProgress, *, jurors: bool = True) -> list[int]:
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


@pytest.mark.slow
@checked
@given(protocol=protocols, seed=seeds)
def test_nobody_says_the_same_twice_or_judges_their_own_and_everything_ends(protocol, seed):
    rng = random.Random(seed)
    story = begun(CHAINS, protocol)
    propose(story, rng)
    for _ in range(400):
        for chain in story.progress.chains.values():
            assert_independent(story, chain)
            assert_families_count_once(story, chain)
        assert_legal(story.progress, own_proposals_judged=protocol.own_proposals_judged)
        if not story.progress.open:
            break
        answered(story, rng)
    assert {chain.state for chain in story.progress.chains.values()} <= {ChainState.REVIEW, *SETTLED}


@pytest.mark.slow
@checked
@given(protocol=protocols, seed=seeds)
def test_no_chain_ends_by_fewer_workers_than_the_settings_ask_for(protocol, seed):
    rng = random.Random(seed)
    story = begun(CHAINS, protocol)
    propose(story, rng)
    while story.progress.open:
        answered(story, rng)
    families, alone = protocol.families_in(Task.BOX_QUALITY), getattr(protocol, "programs_alone", False)
    for chain in story.progress.chains.values():
        kept = [box.number for box in story.progress.accepted(chain.name)]
        if stands(story.progress, chain, protocol.source(), kept):
            continue  # it is as the data set that is being checked has it
        if chain.state is ChainState.NON_VISUAL:
            votes = families.firsts(against(chain), lambda worker: (worker, None))
            assert len(set(votes)) >= protocol.no_box_votes
            assert alone or against(chain, jurors=False), "programs alone have made it non-visual"
        if chain.state is ChainState.COMPLETE:
            by_people = any(one.trust is None and not one.juror for one in chain.heard)
            assert alone or by_people, "programs alone have made it complete"
            assert chain.box_confidence is not None


@pytest.mark.slow
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
