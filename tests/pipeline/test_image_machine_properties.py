"""Properties of an image's record: random images, settings, answers and interventions, in any order."""

import json
import random
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.states import ChainState
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.image_machine import EntryKind, apply, begin
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.flow import SETTLED
from pipeline.rules.tasks.task import Task
from tests.support.happenings import act, begun, expert_action, program_settings, propose, random_answer
from tests.support.legal import assert_legal

TYPES = ["people", "animals", "scene", "other", "people/other", "animals/people", "scene/other"]
images = st.lists(
    st.lists(st.tuples(st.sampled_from(TYPES), st.sampled_from(["a man", "the old man", "dog"])), max_size=3),
    min_size=1,
    max_size=4,
)
protocols = st.builds(
    ProtocolSettings,
    strategy=st.sampled_from(Strategy),
    consensus_lead=st.integers(1, 3),
    consensus_most=st.integers(3, 5),
    no_box_votes=st.integers(1, 3),
    coverage_votes=st.integers(1, 3),
    fruitless_drawings=st.integers(1, 4),
    drawn_at_once=st.sampled_from([("people",), (), ("scene", "animals")]),
    proposals=st.booleans(),
    box_policy=st.sampled_from(BoxPolicy),
    box_sure=st.sampled_from([0.6, 0.9, 0.97]),
)
seeds = st.integers(0, 10**6)
checked = settings(max_examples=10)


@pytest.mark.slow
@checked
@given(captions=images, protocol=protocols, seed=seeds)
def test_every_image_is_legal_after_every_entry_and_is_what_its_record_makes_it(captions, protocol, seed):
    rng = random.Random(seed)
    story = begun(captions, replace(protocol, **program_settings(rng)))
    replayed = begin(story.record[0][0])
    folded = 1
    for _ in range(40):
        new = story.record[folded:]
        if any(entry.kind is EntryKind.UNDO for entry, _ in new):
            replayed, new = fold_record(story.record), []
        for entry, version in new:
            apply(replayed, entry, version)
        folded = len(story.record)
        assert_legal(story.progress, own_proposals_judged=True)
        # `replayed` was folded without a stop, the story's progress went to JSON and back before every entry.
        assert to_json(replayed) == to_json(story.progress)
        back = from_json(json.loads(json.dumps(to_json(replayed))))
        back.moves = replayed.moves
        assert back == replayed
        act(story, rng)


@checked
@given(captions=images, protocol=protocols, seed=seeds)
def test_acts_that_are_undone_from_the_last_to_the_first_leave_the_image_as_it_was(captions, protocol, seed):
    rng = random.Random(seed)
    story = begun(captions, replace(protocol, **program_settings(rng)))
    for _ in range(rng.randrange(30)):
        act(story, rng)
    kept = {"sequence", "asked", "drawn", "numbered"}
    before, last = to_json(story.progress), story.progress.sequence
    for _ in range(6):
        with suppress(ExpertError):
            expert_action(story, rng)
    for entry in reversed(range(last + 1, story.progress.sequence + 1)):
        story.undo(entry)
    after = to_json(story.progress)
    settings_of_links_are_new = before["link_rules"] != after["link_rules"]
    assert settings_of_links_are_new or all(after[name] == before[name] for name in before if name not in kept)
    assert_legal(story.progress, own_proposals_judged=True)


@checked
@given(captions=images, protocol=protocols, seed=seeds)
def test_with_the_workers_that_are_said_to_suffice_nothing_starves_and_everything_ends(captions, protocol, seed):
    rng = random.Random(seed)
    silent = replace(protocol, **program_settings(rng) | {"own_proposals_judged": False})
    story = begun(captions, silent)
    propose(story, rng)
    needed = workers_needed(protocol)
    judgments = 0
    while story.progress.open:
        judgments += 1
        assert judgments < 120 * max(1, len(story.progress.mentions)), "it does not end"
        question = rng.choice(list(story.progress.open.values()))
        free = [worker for worker in range(needed[question.task]) if worker not in question.barred]
        assert free, f"starved: {question}"
        chain = question.subject[0]
        draws = question.task is not Task.BOX_DRAWING or len(story.progress.accepted(chain)) < 2
        data = {
            "question": question.number,
            "worker": rng.choice(free),
            "answer": random_answer(rng, question, draws=draws),
        }
        story.add(EntryKind.JUDGMENT, data)
    assert {chain.state for chain in story.progress.chains.values()} <= {ChainState.REVIEW, *SETTLED}
    assert_legal(story.progress)


def settled_no(progress: ImageProgress, one: int, other: int) -> bool:
    a, b = progress.mentions[one], progress.mentions[other]
    votes = [vote.answer for vote in progress.votes.get((one, other), ())]
    return a.caption == b.caption or not set(a.types) & set(b.types) or 2 * sum(votes) < len(votes)


@pytest.mark.parametrize("strategy", [Strategy.GREEDY_PLUS, Strategy.EXHAUSTIVE_PLUS])
@checked
@given(captions=images, seed=seeds)
def test_no_chain_of_the_plus_strategies_holds_a_settled_no(strategy, captions, seed):
    rng = random.Random(seed)
    story = begun(captions, ProtocolSettings(strategy=strategy))
    while links := [q for q in story.progress.open.values() if q.task is Task.COREFERENCE_LINK]:
        question = rng.choice(links)
        worker = rng.choice([worker for worker in range(5) if worker not in question.barred])
        story.judge(question.task, rng.choice(["same", "same", "different"]), worker, question.subject)
    for chain in story.progress.chains.values():
        pairs = [(a, b) for place, a in enumerate(chain.mentions) for b in chain.mentions[place + 1 :]]
        assert not any(settled_no(story.progress, a, b) for a, b in pairs)
