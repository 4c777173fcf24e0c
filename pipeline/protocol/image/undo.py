"""Undo [paper 3.3.1]: take back an act of an expert by folding the record without it.

An act can be undone as long as every later entry of the image does exactly the same without it: then nothing depends on
the act. An answer to a question that the act has opened depends on it, and so does a later act on the same chain.
Undoing an undo takes the act back into the record, at its old place.

Numbers of questions, boxes and mentions are not used again after an undo.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from annotation.rules.states import ImageState
from pipeline.protocol.image.machine import EntryKind, RecordEntry, apply, begin, skip
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.rules import Rules
from pipeline.protocol.state.progress import Cause, ImageProgress, StateMachine, StateMove
from pipeline.protocol.tasks.task import QuestionState

Line = tuple[RecordEntry, Rules]
"""An entry, and the rules under which it acts."""
UNDOABLE = frozenset({EntryKind.EXPERT, EntryKind.UNDO})


class CannotUndoError(Exception):
    """The entry is not an act of an expert, or was undone before, or something depends on it.

    `entry`: the number of the entry that depends on it.
    """

    def __init__(self, message: str, entry: int | None = None) -> None:
        super().__init__(message)
        self.entry = entry


class _Numbers(NamedTuple):
    """The numbers of the next question, box and mention."""

    next_question: int
    next_box: int
    next_mention: int


class _Trace(NamedTuple):
    """All that one entry did. The image's own state is left out: it follows from that of all chains."""

    moves: list[StateMove]
    opened: list[tuple[int, str, tuple[int, ...]]]
    """The questions that it opened and left open: number, task and subject."""
    numbers: _Numbers


def apply_record(record: Iterable[Line]) -> ImageProgress:
    """Return the state that a record makes. Raises CannotUndoError if an undo does not fit the entries before it."""
    lines = list(record)
    if any(entry.kind is EntryKind.UNDO for entry, _ in lines):
        return _History(lines).progress
    progress = begin(lines[0][0])
    for entry, rules in lines[1:]:
        apply(progress, entry, rules)
    return progress


def skipped_entries(record: Iterable[RecordEntry]) -> set[int]:
    """Return the numbers of the entries that are undone now."""
    skipped: set[int] = set()
    for undo in sorted((entry for entry in record if entry.kind is EntryKind.UNDO), reverse=True):
        if undo.sequence not in skipped:
            skipped.add(undo.data["undo"])
    return skipped


class _History:
    """The fold of a record with undos: what each entry did when it was new, and the progress after the last one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.traces: list[_Trace] = [_Trace([], [], _numbers(begin(lines[0][0])))]
        self.progress = begin(lines[0][0])
        for place, (entry, rules) in enumerate(lines[1:], start=1):
            before, next_question = len(self.progress.moves), self.progress.next_question
            if entry.kind is EntryKind.UNDO:
                self._undo(place)
                skip(self.progress, entry, rules)
            else:
                apply(self.progress, entry, rules)
            self.traces.append(_trace(self.progress, before, next_question))

    def _undo(self, place: int) -> None:
        """Let the undo at this place of the record act."""
        entries = [entry for entry, _ in self.lines[: place + 1]]
        undo = entries[-1]
        _check(entries, undo.data.get("undo"))
        old = self.progress
        new = self._folded_again(place, skipped_entries(entries), undo.data["undo"])
        new.moves = [*old.moves, *_moves_between(old, new, undo.sequence)]
        _keep_numbers(new, _numbers(old))
        self.progress = new

    def _folded_again(self, length: int, skipped: set[int], target: int) -> ImageProgress:
        progress = begin(self.lines[0][0])
        for place, (entry, rules) in enumerate(self.lines[1:length], start=1):
            was, before, next_question = self.traces[place], len(progress.moves), progress.next_question
            idle = entry.sequence in skipped or entry.kind is EntryKind.UNDO
            # Merging waits for nobody's answer: it happens again, or no longer, as the chains are now.
            merges = entry.kind is EntryKind.MERGE
            if merges:
                idle = progress.state is ImageState.MERGED or not can_merge(progress)
            try:
                (skip if idle else apply)(progress, entry, rules)
            except Exception as error:  # whatever it is: without the act, this entry does not fit
                raise CannotUndoError(_depends(entry, target), entry.sequence) from error
            now = _trace(progress, before, next_question)
            if not (set(now.opened) <= set(was.opened) if idle else merges or now == was):
                raise CannotUndoError(_depends(entry, target), entry.sequence)
            _keep_numbers(progress, was.numbers)
        return progress


def _check(entries: Sequence[RecordEntry], target: object) -> None:
    """Raise CannotUndoError if the target of the last entry is nothing that can be undone."""
    *earlier, _ = entries
    found = next((entry for entry in earlier if entry.sequence == target), None)
    if found is None or found.kind not in UNDOABLE:
        raise CannotUndoError(f"Entry {target} is not an act of an expert: only these can be undone.")
    if found.sequence in skipped_entries(earlier):
        raise CannotUndoError(f"Entry {target} was undone already.")


DEPENDING = {
    EntryKind.JUDGMENT: "A worker has answered since, in entry {entry}, and the answer depends on it",
    EntryKind.EXPERT: "A later act, entry {entry}, depends on it: undo that one first",
    EntryKind.REPORT: "A report that came since, entry {entry}, would act otherwise without it",
    EntryKind.STARVE: "A question that it opened was given up since, in entry {entry}",
    EntryKind.VOID: "Answers were voided since, in entry {entry}, and the voiding depends on it",
    EntryKind.PROPOSE: "A program's predictions came since, in entry {entry}, and would act otherwise without it",
    EntryKind.START: "The linking of the image began with it, in entry {entry}",
}


def _depends(entry: RecordEntry, target: int) -> str:
    why = DEPENDING.get(entry.kind, "Entry {entry} depends on it").format(entry=entry.sequence)
    return f"Entry {target} can no longer be undone. {why}."


def _numbers(progress: ImageProgress) -> _Numbers:
    return _Numbers(progress.next_question, progress.next_box, progress.next_mention)


def _keep_numbers(progress: ImageProgress, numbers: _Numbers) -> None:
    progress.next_question, progress.next_box, progress.next_mention = numbers


def _trace(progress: ImageProgress, before: int, next_question: int) -> _Trace:
    moves = [move for move in progress.moves[before:] if move.machine is not StateMachine.IMAGE]
    opened = [
        progress.open[number] for number in range(next_question, progress.next_question) if number in progress.open
    ]
    rows = [(question.number, question.task.value, tuple(question.subject)) for question in opened]
    return _Trace(moves, rows, _numbers(progress))


def _moves_between(old: ImageProgress, new: ImageProgress, entry: int) -> list[StateMove]:
    """Return the moves from one progress to another that an undo brings about."""
    moves: list[StateMove] = []

    def move(machine: StateMachine, subject: int, before: StrEnum | str, after: StrEnum | str) -> None:
        moves.append(StateMove(machine, subject, str(before), str(after), Cause.UNDONE, entry))

    for number in sorted({*old.open} ^ {*new.open}):
        states = (QuestionState.CLOSED, QuestionState.OPEN)
        move(StateMachine.QUESTION, number, states[number in old.open], states[number in new.open])
    for name in sorted({*old.chains, *new.chains}):
        old_chain, new_chain = old.chains.get(name), new.chains.get(name)
        if (
            old_chain is None
            or new_chain is None
            or (old_chain.state, old_chain.mentions) != (new_chain.state, new_chain.mentions)
        ):
            move(StateMachine.CHAIN, name, old_chain.state if old_chain else "", new_chain.state if new_chain else "")
    for number in sorted({*old.boxes, *new.boxes}):
        before, after = (progress.boxes.get(number) for progress in (old, new))
        if before is None or after is None or before.state is not after.state:
            move(StateMachine.BOX, number, before.state if before else "", after.state if after else "")
    if old.state is not new.state:
        move(StateMachine.IMAGE, 0, old.state, new.state)
    return moves
