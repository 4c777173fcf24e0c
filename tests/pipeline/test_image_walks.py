"""Walks: images to which anything is done in any order, each a function of data, so that failures can be shrunk.
Images to which anything is done, under settings of all kinds: legal after each entry, and finished in the end.

`CHAINBOX_WALKS=2800` tries more walks than usual, `CHAINBOX_WALKS=5000:7800` those with these numbers.
"""

import json
import os
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.expert_acts import ACTIONS
from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, apply, begin
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.entries.undo import CannotUndoError, fold_record
from pipeline.rules.progress.progress import ImageProgress, Machine
from pipeline.rules.progress.progress_json import from_json, to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.flow import REVIEW_TRANSITIONS, TABLES
from pipeline.rules.tasks.task import Task
from tests.support.image_acts import ACTS, EVERY_ANSWER, OFTEN, about_missing, assert_crowd, random_box
from tests.support.images import Story
from tests.support.legal import assert_legal
from tests.support.setting_values import PROGRAMS, VALUES, paired, watched

WORDS = {"pronoun": ["it", "she", "they"]}
NOUNS = ["a man", "the old man", "dog", "two dogs", "his arm"]
TYPES = [
    *("people", "animals", "scene", "other", "people/other", "animals/people", "scene/other", "pronoun", "body parts"),
]
LENGTH = 50
"""Acts of a walk that is not the crowd's alone."""
OF_CROWD = {"start", "propose", "finish_with_few", "finish_with_right_links"}
REFUSED = (ExpertError, CannotVoidError, CannotUndoError)
"""An act that does not fit is refused in words, and changes nothing."""


@dataclass
class CheckedStory(Story):
    """A story that is looked at after each entry."""

    folded: ImageProgress = field(default_factory=ImageProgress)
    """The state that the record makes in one go; the progress itself went to JSON and back before each entry."""
    crowd_alone: bool = False
    said: dict[tuple[Any, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    """Workers who have said already whether something is missing, by what `about_missing` returns."""
    answered: dict[int, tuple[tuple[int, ...], int]] = field(default_factory=dict)
    """The pair and the worker of each entry that answers a link."""
    voided: set[tuple[tuple[int, ...], int]] = field(default_factory=set)
    seen: set[tuple[str, ...]] = field(default_factory=set)
    """The kinds of entries, the acts of experts, the answers, and the steps of chains."""

    def add(self, kind: EntryKind, data: dict[str, Any] | None = None) -> int:
        data = data or {}
        question = self.progress.open.get(data["question"]) if kind is EntryKind.JUDGMENT else None
        asked = about_missing(self, question) if question and "box" not in str(data["answer"]) else None
        sequence = super().add(kind, data)
        if asked:
            self.said[asked].add(data["worker"])
        if question and question.task is Task.COREFERENCE_LINK:
            self.answered[sequence] = tuple(question.subject), data["worker"]
        if kind is EntryKind.VOID:
            self.voided |= {self.answered[entry] for entry in data["entries"] if entry in self.answered}
        apply(self.folded, *self.record[-1])
        self.seen.add(("entry", kind))
        if question:
            self.seen.add(("answer", question.task, name_of_answer(data["answer"])))
        if kind is EntryKind.EXPERT:
            self.seen.add(("expert", data["action"]))
        self.seen |= {("step", one.old, one.new) for one in self.progress.moves if one.machine is Machine.CHAIN}
        self.check()
        return sequence

    def undo(self, entry: int) -> int:
        sequence = super().undo(entry)
        self.seen.add(("entry", EntryKind.UNDO))
        self.folded = self.progress
        self.progress = from_json(json.loads(json.dumps(to_json(self.progress))))
        self.check()
        return sequence

    def check(self) -> None:
        assert_legal(self.progress, *(settings for _, settings in self.record))
        assert to_json(self.folded) == to_json(self.progress), "the record does not make it"
        links = [one for one in self.progress.open.values() if one.task is Task.COREFERENCE_LINK]
        asked = {(tuple(one.subject), worker) for one in links for worker in {*range(20), *PROGRAMS} - {*one.barred}}
        assert not asked & self.voided, "a link is asked again of the worker whose answer was voided"
        if self.crowd_alone:
            assert_crowd(self, self.said)


@dataclass(frozen=True)
class Walk:
    """An image as it is imported, the settings that are not the usual ones, and acts by name, each with its seed."""

    settings: dict[str, Any]
    imported: dict[str, Any]
    acts: Sequence[tuple[str, int]]

    def go(self, read: set[str] | None = None) -> CheckedStory:
        """Raise whatever goes wrong. `read`: takes the names of the settings that are read."""
        settings, entry = ProtocolSettings(**self.settings), RecordEntry(0, EntryKind.IMPORT, self.imported)
        story = CheckedStory(begin(entry), settings, [(entry, settings)], begin(entry))
        story.crowd_alone = {name for name, _ in self.acts} <= OF_CROWD and "chains" not in self.imported
        story.check()
        for name, seed in self.acts:
            with suppress(*REFUSED):
                ACTS[name](story, Random(seed))
        read = set() if read is None else read
        again = fold_record((one, watched(version, read)) for one, version in story.record)
        assert to_json(again) == to_json(story.progress)
        assert replace(from_json(json.loads(json.dumps(to_json(again)))), moves=again.moves) == again
        return story

    def __str__(self) -> str:
        acts = "".join(f"\n    {act}," for act in self.acts)
        return f"Walk(\n    {self.settings},\n    {self.imported},\n    [{acts}],\n).go()"


def name_of_answer(answer: Any) -> str:
    """Return an answer as text; any box is the same."""
    return "box" if isinstance(answer, dict) and "box" in answer else str(answer)


def walk(number: int, rows: Sequence[dict[str, Any]]) -> Walk:
    """Return the walk of this number: every second of a row of settings is the crowd's alone."""
    rng, visit = Random(number), number // len(rows)
    imported = _import(rng)
    if visit % 2:
        names = rng.choice([["propose", "start", "finish_with_right_links"], ["start", "propose", "finish_with_few"]])
    else:
        early = rng.choices(["report", "expert", "undo"], k=rng.randrange(1, 3)) if rng.random() < 0.1 else []
        names = [*early, "start", *rng.choices([*OFTEN, *_interventions()], k=LENGTH), "finish"]
    return Walk(rows[number % len(rows)], imported, [(name, rng.randrange(10**6)) for name in names])


def _interventions() -> list[str]:
    return [name for name in ACTS if not name.startswith(("start", "answer", "finish"))]


def _import(rng: Random) -> dict[str, Any]:
    kind = rng.random()
    if kind < 0.05:
        return {"mentions": [], "waiting": True}
    rows: list[list[Any]] = []
    alike = rng.random() < 0.4  # so that there are links enough to contradict each other
    for caption in range(rng.randint(4, 7) if alike else rng.randint(1, 4)):
        start = sentence = 0
        for _ in range(1 if alike else rng.choice([0, 1, 1, 2, 2, 3])):
            types = "people" if alike else rng.choice(TYPES)
            text = rng.choice(WORDS.get(types, NOUNS))
            end, sentence = start + len(text.split()), sentence + (rng.random() < 0.3)
            rows.append([len(rows), caption, start, end, types.split("/"), text, "", "", "", sentence])
            start = end + 1
    if kind > 0.15 or not rows:
        return {"mentions": rows}
    return {"mentions": rows} | _annotation([row[0] for row in rows], rng)


def _annotation(mentions: list[int], rng: Random) -> dict[str, Any]:
    """Return chains of mentions with their boxes, as an annotated data set has them."""
    chains: dict[int, list[int]] = {}
    for mention in mentions:
        chains.setdefault(rng.choice([*chains, mention]), []).append(mention)
    flags = {name: rng.choice(["scene", "", ""]) for name in chains}
    rows = [{"mentions": own, "non_visual": flags[name]} for name, own in chains.items()]
    return {"chains": rows, "boxes": [{"box": random_box(rng), "chains": [name]} for name in chains if not flags[name]]}


# --- What comes of a failure ---


def place_of(error: Exception) -> str:
    """Return where an error was raised, and what it is."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} {type(error).__name__}: {frame.line}"


def place_in(one: Walk) -> str:
    """Return where the walk fails; empty if it does not."""
    try:
        one.go()
    except Exception as error:
        return place_of(error)
    return ""


def shrunk(failing: Walk, place: str) -> Walk:
    """Return a walk that fails at the same place: with as few acts, settings and mentions as can be."""
    usual = ProtocolSettings()
    small = replace(failing, acts=fewest(failing.acts, lambda left: place_in(replace(failing, acts=left)) == place))

    def with_settings(left: Iterable[tuple[str, Any]]) -> Walk:
        return replace(small, settings=dict(left))

    unusual = [(name, value) for name, value in small.settings.items() if value != getattr(usual, name)]
    small = with_settings(fewest(unusual, lambda left: place_in(with_settings(left)) == place))

    def with_mentions(left: list[Any]) -> Walk:
        return replace(small, imported=small.imported | {"mentions": left})

    return with_mentions(fewest(small.imported["mentions"], lambda left: place_in(with_mentions(left)) == place))


def fewest(items: Sequence[Any], fails: Callable[[list[Any]], bool]) -> list[Any]:
    """Return few of the items that still fail: pieces are left out, half of all at first, in the end single ones."""
    left = list(items)
    size = max(1, len(left) // 2)
    while size:
        at = 0
        while at < len(left):
            shorter = left[:at] + left[at + size :]
            if fails(shorter):
                left = shorter
            else:
                at += size
        size //= 2
    return left


USUAL = "140"
MOST_SHRUNK = 5
"""At so many places a failing walk is shrunk, which can take seconds."""
TO_BE_SEEN = {
    *(("entry", kind) for kind in EntryKind if kind is not EntryKind.IMPORT),
    *(("expert", action) for action in ACTIONS),
    *(("answer", task, name_of_answer(answer)) for task, answers in EVERY_ANSWER.items() for answer in answers),
    *(("step", old, new) for table in (*TABLES.values(), REVIEW_TRANSITIONS) for (old, _), new in table.items()),
}


def test_whatever_is_done_an_image_is_legal_and_is_what_its_record_makes_and_ends() -> None:
    first, _, end = os.environ.get("CHAINBOX_WALKS", USUAL).rpartition(":")
    rows, seen, read = paired(VALUES), set[tuple[str, ...]](), set[str]()
    failed: dict[str, list[Walk]] = defaultdict(list)
    for number in range(int(first or 0), int(end)):
        one = walk(number, rows)
        try:
            seen |= one.go(read).seen
        except Exception as error:
            failed[place_of(error)].append(one)
    report = [f"{len(walks)} walks fail at {place}" for place, walks in failed.items()]
    report += [f"{place}\n{shrunk(walks[0], place)}" for place, walks in [*failed.items()][:MOST_SHRUNK]]
    assert not failed, "\n\n".join(report)
    assert sorted(TO_BE_SEEN - seen) == [], "never seen"
    assert sorted(read ^ VALUES.keys()) == [], "give each setting that folding reads the values that make a difference"
