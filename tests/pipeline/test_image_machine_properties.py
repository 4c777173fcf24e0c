"""Properties of an image's record: random images, settings, answers and interventions, in any order."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, apply, begin
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.entries.undo import CannotUndoError, fold_record
from pipeline.rules.image.merging import can_merge
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import ImageProgress, OpenQuestion
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.workers_needed import workers_needed
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.flow import SETTLED
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, mention_rows
from tests.support.legal import assert_legal

SIZE = 100
TYPES = ["people", "animals", "scene", "other", "people/other", "animals/people", "scene/other"]
SIMPLE_ANSWERS: dict[Task, list[Any]] = {
    Task.COREFERENCE_LINK: ["same", "different"],
    Task.CHAIN_VERIFICATION: ["true", "false"],
    Task.BOX_REQUIREMENT: [1, 2, 3],
    Task.BOX_QUALITY: ["good", "bad"],
    Task.BOX_COVERAGE: ["all there", "more needed"],
}
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


def begun(captions: list[list[tuple[str, str]]], protocol: ProtocolSettings) -> Story:
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": mention_rows(*captions)})
    story = Story(begin(entry), protocol, [(entry, protocol)])
    story.add(EntryKind.START)
    return story


def random_box(rng: random.Random) -> list[int]:
    x0, y0 = rng.randrange(SIZE - 1), rng.randrange(SIZE - 1)
    return [x0, y0, rng.randint(x0 + 1, SIZE), rng.randint(y0 + 1, SIZE)]


def random_answer(rng: random.Random, question: OpenQuestion, *, draws: bool = True) -> Any:
    if question.task is not Task.BOX_DRAWING:
        return rng.choice(SIMPLE_ANSWERS[question.task])
    return {"box": random_box(rng)} if draws and rng.random() < 0.7 else {"none_missing": True}


def answer_one(story: Story, rng: random.Random, workers: int = 15) -> None:
    question = rng.choice(list(story.progress.open.values()))
    free = [worker for worker in range(workers) if worker not in question.barred]
    if free:
        data = {"question": question.number, "worker": rng.choice(free), "answer": random_answer(rng, question)}
        story.add(EntryKind.JUDGMENT, data)


# --- What else can happen ---


def late_answer(story: Story, rng: random.Random) -> None:
    number = rng.randrange(story.progress.asked + 1)
    if number not in story.progress.open:
        story.add(EntryKind.JUDGMENT, {"question": number, "worker": 1, "answer": "same"})


def report(story: Story, rng: random.Random) -> None:
    what, number = rng.choice([("mention", rng.randrange(9)), ("caption", rng.randrange(3))])
    story.report(what, number, rng.randrange(3), expert=rng.random() < 0.3)


def starve(story: Story, rng: random.Random) -> None:
    story.add(EntryKind.STARVE, {"question": rng.randrange(story.progress.asked + 1)})


def void(story: Story, rng: random.Random) -> None:
    story.void(*rng.sample(range(story.progress.sequence + 1), min(story.progress.sequence, rng.randint(1, 2))))


def void_open(story: Story, rng: random.Random) -> None:
    """Votes and boxes from which nothing has followed are known to be there."""
    votes = [vote for cast in story.progress.votes.values() for vote in cast]
    votes += [vote for chain in story.progress.chains.values() for vote in (*chain.coverage, *chain.requirement)]
    heard = [one.entry for chain in story.progress.chains.values() for one in chain.heard if one.entry]
    entries = [vote.entry for vote in votes] + heard + [box.entry for box in story.progress.boxes.values()]
    if entries:
        story.void(*dict.fromkeys(rng.choices(entries, k=2)))


def change_settings(story: Story, rng: random.Random) -> None:
    story.settings = ProtocolSettings(
        strategy=rng.choice(list(Strategy)),
        no_box_votes=rng.randint(1, 3),
        coverage_votes=rng.randint(1, 3),
        proposals=rng.random() < 0.7,
        box_policy=rng.choice(list(BoxPolicy)),
    )


def propose(story: Story, rng: random.Random) -> None:
    """Boxes and chains of one of two programs, of mentions that are there or not; some questions are on loan."""
    mentions = [*story.progress.mentions, 99]
    rows = [[rng.choice(mentions), *random_box(rng)] for _ in range(rng.randrange(5))]
    lent = [number for number in story.progress.open if rng.random() < 0.3]
    data = {"worker": rng.choice([40, 41]), "boxes": rows, "lent": lent}
    if rng.random() < 0.7:
        placed = [[one for one in mentions if rng.random() < 0.4] for _ in range(rng.randrange(3))]
        data["chains"] = [
            [one for one in chain if one not in placed[0]] if at else chain for at, chain in enumerate(placed)
        ]
    story.add(EntryKind.PROPOSE, data)


def merge(story: Story, rng: random.Random) -> None:
    if can_merge(story.progress):
        story.add(EntryKind.MERGE)


def expert_action(story: Story, rng: random.Random) -> None:
    progress = story.progress
    chains, mentions = list(progress.chains) or [0], list(progress.mentions) or [0]
    chain = rng.choice(chains)
    own = progress.chains[chain].mentions if chain in progress.chains else []
    new = 50 + progress.sequence
    possible: list[tuple[str, dict[str, Any]]] = [
        (
            "send",
            {"chain": chain, "to": rng.choice(list(ChainState)).value, "kind": rng.choice(["scene", "no box"])},
        ),
        ("send", {"chain": chain, "to": rng.choice(["verification", "drawing", "coverage", "complete"])}),
        ("link", {"first": rng.choice(mentions), "second": rng.choice(mentions), "same": rng.random() < 0.5}),
        ("join", {"chains": rng.choices(chains, k=rng.randint(1, 3))}),
        ("split", {"chain": chain, "parts": [own[1:], own[:1]]}),
        ("draw", {"chain": chain, "box": random_box(rng)}),
        ("delete box", {"box": rng.randrange(max(1, progress.drawn))}),
        ("move box", {"box": rng.randrange(max(1, progress.drawn)), "to": random_box(rng)}),
        ("accept box", {"box": rng.randrange(max(1, progress.drawn))}),
        ("review", {"chain": chain}),
        ("ask others", {"chain": chain, "to": rng.choice(["verification", "drawing", "requirement", "coverage"])}),
        ("retype", {"mention": rng.choice(mentions), "types": rng.sample(list(MentionType), 2)}),
        (
            "rechunk",
            {
                "remove": rng.sample(mentions, 1) if rng.random() < 0.5 else [],
                "add": [[new, rng.randrange(4), new, new + 2, ["other"], "a thing"]],
            },
        ),
    ]
    action, arguments = rng.choice(possible)
    story.expert(action, **arguments)


def undo(story: Story, rng: random.Random) -> None:
    """Undo one of the latest acts, or the undo of one."""
    acts = [entry.sequence for entry, _ in story.record if entry.kind in (EntryKind.EXPERT, EntryKind.UNDO)]
    if acts:
        story.undo(rng.choice(acts[-3:]))


HAPPENINGS = [
    *(undo, undo, late_answer, report, starve, void, void_open, change_settings, merge),
    *(expert_action, expert_action, propose, propose),
]


def act(story: Story, rng: random.Random) -> None:
    if story.progress.open and rng.random() < 0.75:
        answer_one(story, rng)
        return
    with suppress(ExpertError, CannotVoidError, CannotUndoError):  # refused in words, and nothing changed
        rng.choice(HAPPENINGS)(story, rng)


@checked
@given(captions=images, protocol=protocols, seed=seeds)
def test_every_image_is_legal_after_every_entry_and_is_what_its_record_makes_it(captions, protocol, seed):
    rng = random.Random(seed)
    story = begun(captions, protocol)
    replayed = begin(story.record[0][0])
    folded = 1
    for _ in range(40):
        new = story.record[folded:]
        if any(entry.kind is EntryKind.UNDO for entry, _ in new):
            replayed, new = fold_record(story.record), []
        for entry, version in new:
            apply(replayed, entry, version)
        folded = len(story.record)
        assert_legal(story.progress)
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
    story = begun(captions, protocol)
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
    assert_legal(story.progress)


@checked
@given(captions=images, protocol=protocols, seed=seeds)
def test_with_the_workers_that_are_said_to_suffice_nothing_starves_and_everything_ends(captions, protocol, seed):
    rng = random.Random(seed)
    story = begun(captions, protocol)
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
