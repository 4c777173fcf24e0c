"""Everything that was said about an image: each worker's answer, skip and report, and each act of an expert."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from annotation.models import Image
from annotation.rules.states import BoxState
from pipeline.models import Assignment, Entry, Judgment, Skip, Transition
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.image.undo import skipped_entries
from pipeline.protocol.state.progress import CHANGED_NOTHING, ImageProgress, StateMachine
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task
from projects.operation import Output
from projects.quality.answers import NONE_OF_THEM
from workers.models import Worker

REQUIREMENT = {1: "a box can be drawn", 2: "a scene or place", 3: "no box can be drawn"}
ANSWER_WORDS = {
    "same": "the same",
    "a is part of b": "the first is part of the second",
    "b is part of a": "the second is part of the first",
    "true": "all refer to the same",
    "false": "not all refer to the same",
}


class JudgmentOfImage(Output):
    id: int
    task: str
    chains: list[int]
    about: str
    """The two phrases of a link; empty for other questions."""
    answer: str
    worker: str
    at: datetime
    seconds: float | None
    comment: str
    mark: str
    """The reason why the answer does not count, or not yet; empty if it does."""


class SkipOfImage(Output):
    task: str
    chains: list[int]
    worker: str
    at: datetime
    reason: str
    comment: str


class ReportOfImage(Output):
    what: str
    number: int
    chains: list[int]
    who: str
    at: datetime
    reason: str


class ActOfExpert(Output):
    entry: int
    words: str
    actor: str
    reason: str
    at: datetime
    undone: bool


class ActsOfImage(Output):
    """Acts of experts, the oldest first."""

    acts: list[ActOfExpert]
    undo: int | None
    """The entry that an undo takes back."""
    redo: int | None
    """The entry of an undo that can be taken back."""


def judgments(image: Image, progress: ImageProgress, named: Mapping[int, str]) -> list[JudgmentOfImage]:
    """Return every answer, the oldest first; those that do not count are marked with the reason.

    `named`: the names of the boxes on the page, by number.
    """
    voided, late = _voided(image), _late(image)
    rows = (
        Judgment.objects.filter(question__image=image)
        .order_by("id")
        .values_list(
            "id",
            "question__task",
            "question__subject",
            "question__state",
            "worker__name",
            "created_at",
            "seconds",
            "answer",
            "comment",
            "entry__sequence",
            "assignment__acceptance",
        )
    )
    own = [box for box in progress.boxes.values() if box.worker is not None]
    boxes = {drawing.entry: box for box in own for drawing in box.drawings} | {box.entry: box for box in own}
    found = []
    for number, task, subject, state, worker, at, seconds, answer, comment, entry, acceptance in rows:
        box = boxes.get(entry) if task == Task.BOX_DRAWING and "box" in answer else None
        if entry in voided:
            mark = "voided"
        elif entry in late:
            mark = "late"
        elif box is not None and box.state is BoxState.DISCARDED:
            mark = "box discarded"
        else:
            mark = _not_folded(entry, state, acceptance)
        found.append(
            JudgmentOfImage(
                id=number,
                task=Task(task).label,
                chains=chains_of(progress, task, subject),
                about=_phrases(progress, subject) if task == Task.COREFERENCE_LINK else "",
                answer=_touched(progress, answer["same"])
                if task == Task.COREFERENCE_LINK and len(subject) > 2
                else answer_in_words(task, answer, subject, named, box.number if box else None),
                worker=worker,
                at=at,
                seconds=seconds,
                comment=comment,
                mark=mark,
            )
        )
    return found


def _phrases(progress: ImageProgress, mentions: list[int]) -> str:
    texts = [progress.mentions[number].text if number in progress.mentions else "?" for number in mentions]
    return " and ".join(f"“{text}”" for text in texts)


def _touched(progress: ImageProgress, touched: list[int]) -> str:
    """Return the answer to a sweep in words."""
    return f"the same: {_phrases(progress, touched)}" if touched else NONE_OF_THEM


def _not_folded(entry: int | None, state: str, acceptance: str) -> str:
    if acceptance == Assignment.Acceptance.REFUSED:
        return "not used"
    if entry is not None:
        return ""
    if acceptance == Assignment.Acceptance.WAITING:
        return "waits for its batch"
    return "too late" if state == QuestionState.CLOSED.value else "not counted yet"


def skips(image: Image, progress: ImageProgress) -> list[SkipOfImage]:
    """Return the questions that workers left out, the oldest first."""
    rows = Skip.objects.filter(question__image=image).select_related("question", "worker").order_by("id")
    return [
        SkipOfImage(
            task=Task(row.question.task).label,
            chains=chains_of(progress, row.question.task, row.question.subject),
            worker=row.worker.name,
            at=row.created_at,
            reason=row.get_reason_display(),
            comment=row.comment,
        )
        for row in rows
    ]


def reports(image: Image, progress: ImageProgress) -> list[ReportOfImage]:
    """Return the reports that something is wrong, with the chains that each is about."""
    rows = list(Entry.objects.filter(image=image, kind=EntryKind.REPORT.value).order_by("sequence"))
    ids = {row.data.get("worker") for row in rows}
    names = dict(Worker.objects.filter(id__in=ids - {None}).values_list("id", "name"))
    return [
        ReportOfImage(
            what=row.data["what"],
            number=row.data["number"],
            chains=_reported(progress, row.data["what"], row.data["number"]),
            who=row.actor or names.get(row.data.get("worker"), "a worker"),
            at=row.created_at,
            reason=row.reason,
        )
        for row in rows
    ]


def _reported(progress: ImageProgress, what: str, number: int) -> list[int]:
    wanted = {
        mention.number
        for mention in progress.mentions.values()
        if what == "image" or number == (mention.number if what == "mention" else mention.caption)
    }
    return sorted(name for name, chain in progress.chains.items() if wanted.intersection(chain.mentions))


def acts(image: Image) -> ActsOfImage:
    rows = list(Entry.objects.filter(image=image, kind__in=["expert", "undo"]).order_by("sequence"))
    entries = [RecordEntry(row.sequence, EntryKind(row.kind), row.data) for row in rows]
    undone = skipped_entries(entries)
    experts = {entry.sequence for entry in entries if entry.kind is EntryKind.EXPERT}
    in_force = sorted(experts - undone)
    back = [
        entry.sequence
        for entry in entries
        if entry.kind is EntryKind.UNDO and entry.sequence not in undone and entry.data["undo"] in experts
    ]
    return ActsOfImage(
        acts=[
            ActOfExpert(
                entry=row.sequence,
                words=act_in_words(row.data),
                actor=row.actor,
                reason=row.reason,
                at=row.created_at,
                undone=row.sequence in undone,
            )
            for row in rows
            if row.kind == EntryKind.EXPERT.value
        ],
        undo=in_force[-1] if in_force else None,
        redo=back[-1] if back and back[-1] > max(experts) else None,
    )


def act_in_words(data: dict[str, Any]) -> str:
    """Return an act of the record in a few words."""
    words = {
        "send": "sent a chain to {to}",
        "ask others": "asked others: {to}",
        "review": "sent a chain to review",
        "link": "decided a link",
        "join": "joined chains",
        "split": "parted a chain",
        "draw": "drew a box",
        "move box": "moved a box",
        "delete box": "deleted a box",
        "accept box": "accepted a box",
        "retype": "changed a phrase's types",
        "chunk": "found phrases",
        "rechunk": "changed phrases",
        "confirm": "confirmed labels",
        "take back": "took changed labels back",
    }
    name = str(data.get("action"))
    return words.get(name, name).format(to=data.get("to", ""))


def chains_of(progress: ImageProgress, task: str, subject: list[int]) -> list[int]:
    """Return the present chains that a question is about, whose subject names mentions; a survey is about none."""
    if task in SURVEY_TASKS:
        return []
    mentions = subject if task == Task.COREFERENCE_LINK else subject[:1]
    of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return sorted({of[number] for number in mentions if number in of})


def answer_in_words(
    task: str, answer: Any, subject: list[int], named: Mapping[int, str], drawn: int | None = None
) -> str:
    """Return an answer in a few words. `named`: names of boxes. `drawn`: the number of the box that it drew."""
    if task == Task.BOX_DRAWING:
        return "none missing" if "box" not in answer else "drew a box" if drawn is None else f"drew box {named[drawn]}"
    if task == Task.BOX_QUALITY:
        return f"box {named.get(subject[1], '?')}: {answer}"
    if task == Task.BOX_REQUIREMENT:
        return REQUIREMENT.get(answer, str(answer))
    if task == Task.CAPTION_CHECK:
        return check_in_words(answer)
    return ANSWER_WORDS.get(answer, str(answer))


def check_in_words(answer: Any) -> str:
    """Return the answer to a caption check in a few words."""
    if "word" not in answer:
        return str(answer["verdict"])
    right = f", should be “{answer['right']}”" if answer.get("right") else ""
    return f"{answer['verdict']}: word {answer['word'] + 1}{right}"


def _voided(image: Image) -> set[int]:
    rows: Iterable[Any] = Entry.objects.filter(image=image, kind=EntryKind.VOID.value).values_list("data", flat=True)
    return {entry for data in rows for entry in data["entries"]}


def _late(image: Image) -> set[int]:
    moves = Transition.objects.filter(image=image, machine=StateMachine.QUESTION.value, reason__in=CHANGED_NOTHING)
    return set(moves.values_list("sequence", flat=True))
