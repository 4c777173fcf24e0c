"""Write the changes of folded images into the tables.

This file is the one writer of images, mentions, chains, boxes and transitions. `question_state` writes the state of
questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from annotation.models import Box, Caption, Chain, Image, Mention, MergedBox
from annotation.rules.box import Box as Edges
from pipeline.models import Question, Transition
from pipeline.protocol.image.judgments import JUDGED
from pipeline.protocol.state.progress import StateMachine, StateMove
from pipeline.protocol.state.rows import CHAINS, MERGED, TRANSITIONS, TableRows, difference
from pipeline.protocol.tasks.task import SURVEY_TASKS, QuestionState, Task
from pipeline.record.bulk_rows import insert_many, update_many
from pipeline.record.question_state import Closing, Reopening, already_stored, close, open_again, open_closed, open_new

WITHOUT_CHAIN = frozenset({Task.COREFERENCE_LINK.value, *(task.value for task in SURVEY_TASKS)})


@dataclass(slots=True)
class Changed:
    """One image before and after a fold, with its moves in between."""

    image_id: int
    project_id: int
    has_picture: bool
    before: TableRows
    after: TableRows
    moves: list[StateMove]
    judged: set[int]
    """Numbers of the questions whose judgments were folded."""
    next_question: int = 0
    """The number of the next question before the fold: those below it have rows, closed ones too."""


def write_rows(changes: list[Changed], now: datetime) -> None:
    """Write all changes, in the caller's transaction, which holds the images' progress rows.

    Raises StateMovedError if a question was answered in the meantime; then nothing may be committed.
    """
    states = [(c.image_id, c.after.state) for c in changes if c.before.state != c.after.state]
    update_many(Image, ["id"], ["state"], states)
    _write_mentions(changes)
    _write_chains(changes)
    _write_boxes(changes, now)
    _write_merged(changes)
    _write_questions(changes, now)
    _write_transitions(changes, now)


def _write_mentions(changes: list[Changed]) -> None:
    """Write chains and types of mentions. New and removed mentions, which only an expert makes, are written singly."""
    changed = []
    for c in changes:
        keys, gone = difference(c.before.mentions, c.after.mentions)
        rows = {key: c.after.mentions[key] for key in keys}
        changed += [(c.image_id, key, row.chain, row.types) for key, row in rows.items()]
        if gone:
            Mention.objects.filter(image_id=c.image_id, number__in=gone).delete()
        for key, row in rows.items():
            if key not in c.before.mentions:
                _add_mention(c.image_id, key, row._asdict())
    update_many(Mention, ["image", "number"], ["chain", "types"], changed)


def _add_mention(image_id: int, number: int, columns: dict[str, Any]) -> None:
    caption = Caption.objects.get(image=image_id, number=columns.pop("caption__number"))
    Mention(image_id=image_id, caption=caption, number=number, **columns).save()


def _write_chains(changes: list[Changed]) -> None:
    written, gone = [], Q()
    for c in changes:
        keys, left = difference(c.before.chains, c.after.chains)
        if left:
            gone |= Q(image_id=c.image_id, name__in=left)
        written += [Chain(image_id=c.image_id, name=name, **c.after.chains[name]._asdict()) for name in keys]
    if gone:
        Chain.objects.filter(gone).delete()
    Chain.objects.bulk_create(
        written, update_conflicts=True, unique_fields=["image", "name"], update_fields=CHAINS.columns
    )


def _write_boxes(changes: list[Changed], now: datetime) -> None:
    """Write new and changed boxes; a drawn box that a quality judgment has settled gets the time of that judgment.

    Only an undo takes the row of a box away.
    """
    judged_boxes = {
        (c.image_id, m.subject) for c in changes for m in c.moves if m.machine is StateMachine.BOX and m.cause in JUDGED
    }
    judged: list[Box] = []
    others: list[Box] = []
    for c in changes:
        keys, gone = difference(c.before.boxes, c.after.boxes)
        if gone:
            Box.objects.filter(image_id=c.image_id, number__in=gone).delete()
        for number in keys:
            row = c.after.boxes[number]
            # Nobody drew a pre-annotation, so its judgment tells nothing about how somebody draws.
            is_judged = (c.image_id, number) in judged_boxes and not row.pre_annotated
            judged_at = now if is_judged else None
            written = Box(image_id=c.image_id, number=number, judged_at=judged_at, **row._asdict())
            (judged if is_judged else others).append(written)
    columns = ["chain", "state", "drawn_by", *Edges._fields]
    for rows, updated in ((judged, [*columns, "judged_at"]), (others, columns)):
        Box.objects.bulk_create(rows, update_conflicts=True, unique_fields=["image", "number"], update_fields=updated)


def _write_merged(changes: list[Changed]) -> None:
    written: list[Sequence[Any]] = []
    for c in changes:
        if c.before.merged == c.after.merged:
            continue
        if c.before.merged:
            MergedBox.objects.filter(image_id=c.image_id).delete()
        written += [(c.image_id, number, *row) for number, row in c.after.merged.items()]
    insert_many(MergedBox, ("image", "number", *MERGED.columns), written)


def _write_questions(changes: list[Changed], now: datetime) -> None:
    """Open new questions, close settled ones, and open those again that need another judgment or that an undo gives
    back."""
    opened: list[Question] = []
    closed: list[Closing] = []
    unanswered: list[Closing] = []
    again: list[Reopening] = []
    undone: list[Reopening] = []
    changed: list[Sequence[Any]] = []
    numbers = {
        c.image_id: [n for n in c.after.questions if n not in c.before.questions and n < c.next_question]
        for c in changes
    }
    known = already_stored(numbers)
    for c in changes:
        keys, gone = difference(c.before.questions, c.after.questions)
        outcomes = {move.subject: move.reason for move in c.moves if move.machine is StateMachine.QUESTION}
        for n in gone:
            (closed if n in c.judged else unanswered).append(Closing(c.image_id, n, outcomes[n][:40]))
        for n in sorted({*keys, *(n for n in c.judged if n in c.after.questions)}):
            row = c.after.questions[n]
            if (c.image_id, n) in known:
                undone.append(Reopening(c.image_id, n, row.barred, row.shown, row.value, row.predicted))
            elif n not in c.before.questions:
                opened.append(_question(c, n, row, now))
            elif n in c.judged:
                again.append(Reopening(c.image_id, n, row.barred, row.shown, row.value, row.predicted))
            else:
                changed.append((c.image_id, n, row.barred, len(row.barred), row.shown, row.value, row.predicted))
    open_new(opened)
    close(closed, QuestionState.ANSWERED)
    close(unanswered, QuestionState.OPEN)
    open_again(again)
    open_closed(undone)
    columns = ["barred", "barred_count", "shown", "value", "predicted"]
    update_many(Question, ["image", "number"], columns, changed)


def _question(c: Changed, number: int, row: Any, now: datetime) -> Question:
    return Question(
        project_id=c.project_id,
        image_id=c.image_id,
        number=number,
        chain=None if row.task in WITHOUT_CHAIN else row.subject[0],
        barred_count=len(row.barred),
        for_people=c.has_picture,
        opened_at=now,
        **row._asdict(),
    )


def _write_transitions(changes: list[Changed], now: datetime) -> None:
    rows = ((c.project_id, c.image_id, now, m.reason[:200], *TRANSITIONS.row(m)) for c in changes for m in c.moves)
    insert_many(Transition, ("project", "image", "created_at", "reason", *TRANSITIONS.columns), rows)
