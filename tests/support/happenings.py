"""Happenings of an image: answers of people and programs, interventions, and other settings, drawn by chance."""

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotation.rules.mention_type import MentionType
from annotation.rules.states import ChainState, NonVisual
from pipeline.rules.boxing.fits.fit_box_prior import fit_box_prior
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, begin
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.entries.undo import CannotUndoError
from pipeline.rules.image.box_evidence import finished_chains
from pipeline.rules.image.merging import can_merge
from pipeline.rules.jurors.shared_errors import pair_of
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.progress.progress import OpenQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import JUDGING, Task
from tests.support.images import Story, mention_rows

SIZE = 100
SIMPLE_ANSWERS: dict[Task, list[Any]] = {
    Task.COREFERENCE_LINK: ["same", "different"],
    Task.CHAIN_VERIFICATION: ["true", "false"],
    Task.BOX_REQUIREMENT: [1, 2, 3],
    Task.BOX_QUALITY: ["good", "bad"],
    Task.BOX_COVERAGE: ["all there", "more needed"],
}
JURORS, PROPOSERS = (70, 71, 72), (40, 41)
PROGRAMS = (*JURORS, *PROPOSERS)
SURE = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {"person": [95.0, 5.0]}}


def known_jurors(rng: random.Random, programs: Sequence[int] = PROGRAMS) -> dict[str, Any]:
    """Return a box prior that knows programs, how good their boxes are, and which of two pairs err apart."""
    jurors = {str(one): SURE for one in programs if rng.random() < 0.95}
    boxes = {str(one): {"good": [0.0] * 5 + [98.0], "bad": [0.0] * 5 + [2.0]} for one in programs[-2:]}
    return {"jurors": jurors, "pairs": _pairs(rng, programs), "programs": boxes if rng.random() < 0.5 else {}}


def known_links(rng: random.Random, programs: Sequence[int] = PROGRAMS) -> dict[str, Any]:
    """Return a link prior that knows programs, and which of two pairs err apart."""
    sure = {"same": [195.0, 5.0], "different": [195.0, 5.0]}
    jurors = {str(one): sure for one in programs if rng.random() < 0.95}
    return DEFAULT.to_json() | {"jurors": jurors, "pairs_of_jurors": _pairs(rng, programs)}


def _pairs(rng: random.Random, programs: Sequence[int]) -> dict[str, Any]:
    pairs = (pair_of(*programs[:2]), pair_of(programs[0], programs[-1]))
    return {pair: {"apart": rng.choice([5.0, -5.0])} for pair in pairs if rng.random() < 0.7}


def program_settings(rng: random.Random, programs: Sequence[int] = PROGRAMS) -> dict[str, Any]:
    """Return the settings of programs: which are at work, which are kin, and what is known of them."""
    return {
        "jurors": tuple(one for one in programs if rng.random() < 0.5),
        "families": {str(one): rng.choice(["llava", "llava", "qwen"]) for one in programs if rng.random() < 0.8},
        "own_proposals_judged": rng.random() < 0.3,
        "juror_lot": rng.choice([0.0, 0.2]),
        "checked": rng.choice([0, 0, *PROPOSERS]),
        "box_prior": known_jurors(rng, programs) if rng.random() < 0.8 else {},
        "link_prior": known_links(rng, programs) if rng.random() < 0.8 else {},
    }


def begun(captions: list[list[tuple[str, str]]], protocol: ProtocolSettings) -> Story:
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": mention_rows(*captions)})
    story = Story(begin(entry), protocol, [(entry, protocol)])
    story.add(EntryKind.START, {"lot": 7})
    return story


def random_box(rng: random.Random) -> list[int]:
    x0, y0 = rng.randrange(SIZE - 1), rng.randrange(SIZE - 1)
    return [x0, y0, rng.randint(x0 + 1, SIZE), rng.randint(y0 + 1, SIZE)]


def random_answer(rng: random.Random, question: OpenQuestion, *, draws: bool = True) -> Any:
    if question.task is not Task.BOX_DRAWING:
        return rng.choice(SIMPLE_ANSWERS[question.task])
    return {"box": random_box(rng)} if draws and rng.random() < 0.7 else {"none_missing": True}


def answer_one(story: Story, rng: random.Random, workers: int = 15) -> None:
    """Let a person or a program answer, at work or set aside, if there is one who may; some programs are asleep."""
    question = rng.choice(list(story.progress.open.values()))
    programs = PROGRAMS if question.task in JUDGING and rng.random() < 0.5 else ()
    free = [worker for worker in programs or range(workers) if worker not in question.barred]
    if free:
        data = {"question": question.number, "worker": rng.choice(free), "answer": random_answer(rng, question)}
        asleep = [program for program in story.settings.jurors if rng.random() < 0.2]
        told = {"program": True if programs else None, "asleep": asleep}
        story.add(EntryKind.JUDGMENT, data | {name: value for name, value in told.items() if value})


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
        **program_settings(rng),
    )


def refit(story: Story, rng: random.Random) -> None:
    """Learn from the chains so far, as a project does, or from more that tell of programs."""
    settings = story.settings
    families = settings.families_in(Task.BOX_QUALITY)
    learned = fit_box_prior(finished_chains(story.progress, families), families=families).to_json()
    story.settings = replace(settings, box_prior=rng.choice([learned, known_jurors(rng)]), link_prior=known_links(rng))


def set_programs_to_work_or_aside(story: Story, rng: random.Random) -> None:
    story.settings = replace(story.settings, **program_settings(rng))


def propose(story: Story, rng: random.Random) -> None:
    """Boxes and chains of one of two programs, of mentions that are there or not; some questions are on loan."""
    mentions = [*story.progress.mentions, 99]
    rows = [[rng.choice(mentions), *random_box(rng)] for _ in range(rng.randrange(5))]
    lent = [number for number in story.progress.open if rng.random() < 0.3]
    data = {"worker": rng.choice(PROPOSERS), "boxes": rows, "lent": lent}
    if rng.random() < 0.7:
        placed = [[one for one in mentions if rng.random() < 0.4] for _ in range(rng.randrange(3))]
        data["chains"] = [
            [one for one in chain if one not in placed[0]] if at else chain for at, chain in enumerate(placed)
        ]
    if rng.random() < 0.3:
        data["flags"] = {str(one): rng.choice(list(NonVisual)).value for one in mentions if rng.random() < 0.4}
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
    *(undo, undo, late_answer, report, starve, void, void_open, change_settings, merge, refit),
    *(expert_action, expert_action, propose, propose, set_programs_to_work_or_aside, set_programs_to_work_or_aside),
]


def act(story: Story, rng: random.Random) -> None:
    if story.progress.open and rng.random() < 0.75:
        answer_one(story, rng)
        return
    with suppress(ExpertError, CannotVoidError, CannotUndoError):  # refused in words, and nothing changed
        rng.choice(HAPPENINGS)(story, rng)
