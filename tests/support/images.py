"""Images without a database: one image's record, written entry by entry through the rules."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.rules.states import BoxState, ChainState
from pipeline.policies.compose import compose
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.rules import NO_CONTEXT, EntryContext, Rules
from pipeline.protocol.state.progress import ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.state.progress_json import from_json, to_json
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK

MAN, DOG, PARK = ("people", "a man"), ("animals", "a dog"), ("scene", "a park")
BOX = {"box": [10, 10, 50, 50]}
NONE_MISSING = {"none_missing": True}
ANYBODY = 99
"""The worker who answers if a test names no other."""


def mention_rows(*captions: list[tuple[str, str]]) -> list[list[Any]]:
    """Return the rows of an import: for each caption its mentions, each (types separated by "/", words)."""
    rows: list[list[Any]] = []
    for caption, mentions in enumerate(captions):
        start = 0
        for types, text in mentions:
            end = start + len(text.split())
            rows.append([len(rows), caption, start, end, types.split("/"), text])
            start = end + 1
    return rows


@dataclass
class Story:
    """The record of one image so far, and its progress. Entries are numbered in order."""

    progress: ImageProgress
    settings: Settings = field(default_factory=Settings)
    record: list[tuple[RecordEntry, Rules]] = field(default_factory=list)
    links: LinkPolicy | None = field(default=None, kw_only=True)
    """The link policy, where it is not the one of the settings."""

    def rules(self) -> Rules:
        rules = compose(self.settings)
        return rules if self.links is None else replace(rules, links=self.links)

    def add(self, kind: EntryKind, data: dict[str, Any] | None = None, context: EntryContext = NO_CONTEXT) -> int:
        """Append an entry and return its number. A refused entry changes nothing."""
        entry = RecordEntry(self.progress.sequence + 1, kind, data or {}, context)
        trial = from_json(json.loads(json.dumps(to_json(self.progress))))
        apply(trial, entry, self.rules())
        self.progress = trial
        self.record.append((entry, self.rules()))
        return entry.sequence

    def judge(self, task: Task, answer: Any, worker: int = ANYBODY, subject: list[int] | None = None) -> int:
        """Answer the open question of this task: the only one, or the one about `subject` (its beginning)."""
        number = self.question(task, subject).number
        return self.add(EntryKind.JUDGMENT, {"question": number, "worker": worker, "answer": answer})

    def expert(self, action: str, **arguments: Any) -> int:
        return self.add(EntryKind.EXPERT, {"action": action, **arguments})

    def judged(self, *judgments: tuple[Any, ...]) -> "Story":
        """Answer one question after the other; each judgment holds the values of `judge`."""
        for judgment in judgments:
            self.judge(*judgment)
        return self

    def by_expert(self, action: str, **arguments: Any) -> "Story":
        self.expert(action, **arguments)
        return self

    def report(self, what: str, number: int, worker: int | None, *, expert: bool = False) -> "Story":
        self.add(EntryKind.REPORT, {"what": what, "number": number, "worker": worker, "expert": expert})
        return self

    def start(self) -> "Story":
        self.add(EntryKind.START)
        return self

    def merge(self) -> "Story":
        self.add(EntryKind.MERGE)
        return self

    def void(self, *entries: int) -> int:
        return self.add(EntryKind.VOID, {"entries": list(entries)})

    def undo(self, entry: int) -> int:
        """Undo an expert's act, or an undo, by the number of its entry. A refused undo changes nothing."""
        undo = RecordEntry(self.progress.sequence + 1, EntryKind.UNDO, {"undo": entry})
        self.progress = apply_record([*self.record, (undo, self.rules())])
        self.record.append((undo, self.rules()))
        return undo.sequence

    def question(self, task: Task, subject: list[int] | None = None) -> OpenQuestion:
        named = subject or []
        found = [q for q in self.progress.open.values() if q.task is task and q.subject[: len(named)] == named]
        assert len(found) == 1, f"{task}: {found} of {list(self.progress.open.values())}"
        return found[0]

    def asked(self) -> list[tuple[Task, list[int]]]:
        """Return the tasks and subjects of all open questions."""
        return [(q.task, q.subject) for q in self.progress.open.values()]

    def chain(self, name: int = 0) -> ChainProgress:
        return self.progress.chains[name]

    def state(self, name: int = 0) -> ChainState:
        return self.chain(name).state

    def boxes(self, state: BoxState) -> list[int]:
        return [box.number for box in self.progress.boxes.values() if box.state is state]

    def reasons(self, machine: str) -> list[str]:
        """Return the reasons of the moves made by the last entry."""
        return [move.reason for move in self.progress.moves if move.machine == machine]

    def chains(self) -> list[list[int]]:
        return [self.progress.chains[name].mentions for name in sorted(self.progress.chains)]

    # --- Shortcuts to the beginning of a test ---

    def link(self, *same: tuple[int, int]) -> "Story":
        """Answer every link question, "same" for these pairs only, until no link is open."""
        while links := [q for q in self.progress.open.values() if q.task is LINK]:
            pair = links[0].subject
            self.judge(LINK, "same" if (pair[0], pair[1]) in same else "different", worker=1, subject=pair)
        return self

    def draw_accepted(
        self, worker: int = 1, judge: int = 2, box: dict[str, Any] | None = None, chain: int = 0
    ) -> "Story":
        """Draw a box for the chain and judge it good, which leads to coverage."""
        self.judge(DRAW, box or BOX, worker, [chain])
        self.judge(JUDGE, "good", judge, [chain])
        return self

    def complete(self, chain: int = 0, box: dict[str, Any] | None = None) -> "Story":
        """Bring the chain from drawing to complete, with one box."""
        self.draw_accepted(box=box, chain=chain)
        for worker in (7, 8):
            self.judge(COVER, "all there", worker, [chain])
        return self

    def no_box(self, chain: int = 0, answers: tuple[int, int] = (3, 3)) -> "Story":
        """Bring the chain from requirement to non-visual."""
        for worker, answer in enumerate(answers, 7):
            self.judge(ASK, answer, worker, [chain])
        return self


def imported(*captions: list[tuple[str, str]], settings: Settings | None = None) -> Story:
    """Make an image whose record holds only its import."""
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": mention_rows(*captions)})
    protocol = settings or Settings()
    return Story(begin(entry), protocol, [(entry, compose(protocol))])


def started(*captions: list[tuple[str, str]], settings: Settings | None = None) -> Story:
    """Make an image whose first questions are open."""
    return imported(*captions, settings=settings).start()
