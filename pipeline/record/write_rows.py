"""Write what changed of the images just folded into the tables: the one writer of every machine's stored state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from annotation.models import Box, Chain, Image, Mention, MergedBox
from pipeline.errors import StateMovedError
from pipeline.models import Question, Transition
from pipeline.record.insert_many import insert_many
from pipeline.record.update_many import update_many
from pipeline.rules.image.judgments import JUDGED
from pipeline.rules.image.progress import Move
from pipeline.rules.image.rows import Rows, difference
from pipeline.rules.tasks.task import QuestionState, Task


@dataclass(slots=True)
class Changed:
    """One image before and after, the moves in between, and the questions whose judgments were just folded."""

    image_id: int
    project_id: int
    has_picture: bool
    before: Rows
    after: Rows
    moves: list[Move]
    judged: set[int]


def write_rows(changes: list[Changed], now: datetime) -> None:
    """Runs in the caller's transaction, which holds the images' progress rows."""
    _write_images(changes)
    _write_mentions(changes)
    _write_chains(changes)
    _write_boxes(changes, now)
    _write_merged(changes)
    _write_questions(changes, now)
    _write_transitions(changes, now)


def _write_images(changes: list[Changed]) -> None:
    rows = [(c.image_id, c.after.state) for c in changes if c.before.state != c.after.state]
    update_many(Image, ["id"], ["state"], rows)


def _write_mentions(changes: list[Changed]) -> None:
    """Chains and types; new and removed mentions, which only an expert makes, are written one by one."""
    changed = []
    for c in changes:
        keys, gone = difference(c.before.mentions, c.after.mentions)
        changed += [(c.image_id, key, c.after.mentions[key][5], c.after.mentions[key][3]) for key in keys]
        made = [key for key in keys if key not in c.before.mentions]
        if gone:
            Mention.objects.filter(image_id=c.image_id, number__in=gone).delete()
        for key in made:
            caption, start, end, types, text, _ = c.after.mentions[key]
            image = Image.objects.get(id=c.image_id)
            owner = image.captions.get(number=caption)
            # Words that have become a mention are no longer a chunk that is none.
            owner.non_visual = [span for span in owner.non_visual if span[1] <= start or end <= span[0]]
            owner.save(update_fields=["non_visual"])
            Mention(image=image, caption=owner, number=key, start=start, end=end, types=list(types), text=text).save()
    update_many(Mention, ["image", "number"], ["chain", "types"], changed)


def _write_chains(changes: list[Changed]) -> None:
    written, gone = [], Q()
    for c in changes:
        keys, left = difference(c.before.chains, c.after.chains)
        if left:
            gone |= Q(image_id=c.image_id, name__in=left)
        for name in keys:
            state, shown, non_visual, doubted, review, merged_into = c.after.chains[name]
            written.append(
                Chain(
                    image_id=c.image_id,
                    name=name,
                    state=state,
                    representative=shown,
                    non_visual=non_visual,
                    doubted=doubted,
                    review=review,
                    merged_into=merged_into,
                )
            )
    if gone:
        Chain.objects.filter(gone)._raw_delete("default")  # type: ignore[attr-defined]  # nothing points to a chain
    Chain.objects.bulk_create(
        written,
        update_conflicts=True,
        unique_fields=["image", "name"],
        update_fields=["state", "representative", "non_visual", "doubted", "review", "merged_into"],
    )


def _write_boxes(changes: list[Changed], now: datetime) -> None:
    """Only a verdict of a box quality judgment makes a box one that was judged."""
    judged_boxes = {
        (c.image_id, m.subject) for c in changes for m in c.moves if m.machine == "box" and m.reason in JUDGED
    }
    judged: list[Box] = []
    others: list[Box] = []
    for c in changes:
        for number in difference(c.before.boxes, c.after.boxes)[0]:
            chain, box, state, worker = c.after.boxes[number]
            place = {"image_id": c.image_id, "number": number, "chain": chain, **box._asdict()}
            is_judged = (c.image_id, number) in judged_boxes
            row = Box(**place, state=state, drawn_by_id=worker, judged_at=now if is_judged else None)
            (judged if is_judged else others).append(row)
    columns = ["chain", "state", "drawn_by"]
    for rows, written in ((judged, [*columns, "judged_at"]), (others, columns)):
        Box.objects.bulk_create(rows, update_conflicts=True, unique_fields=["image", "number"], update_fields=written)


def _write_merged(changes: list[Changed]) -> None:
    written: list[Sequence[Any]] = []
    for c in changes:
        if c.before.merged == c.after.merged:
            continue
        if c.before.merged:
            MergedBox.objects.filter(image_id=c.image_id).delete()
        written += [(c.image_id, n, list(members), *box) for n, (box, members) in c.after.merged.items()]
    insert_many(MergedBox, ["image", "number", "members", "x0", "y0", "x1", "y1"], written)


def _write_questions(changes: list[Changed], now: datetime) -> None:
    """Open the new ones, close those that are settled, and open those again that need another judgment."""
    opened: list[Question] = []
    closed: list[Sequence[Any]] = []
    unanswered: list[Sequence[Any]] = []
    again: list[Sequence[Any]] = []
    changed: list[Sequence[Any]] = []
    for c in changes:
        keys, gone = difference(c.before.questions, c.after.questions)
        outcomes = {move.subject: move.reason for move in c.moves if move.machine == "question"}
        for n in gone:
            row = (c.image_id, n, QuestionState.CLOSED.value, outcomes[n][:40], None)
            (closed if n in c.judged else unanswered).append(row)
        for n in sorted({*keys, *(n for n in c.judged if n in c.after.questions)}):
            who, shown = list(c.after.questions[n][2]), c.after.questions[n][3]
            if n not in c.before.questions:
                opened.append(_question(c, n, now))
            elif n in c.judged:
                again.append((c.image_id, n, QuestionState.OPEN.value, who, len(who), shown))
            else:
                changed.append((c.image_id, n, who, len(who), shown))
    Question.objects.bulk_create(opened)
    key = ["image", "number"]
    _move(key, ["state", "outcome", "assignment"], closed, QuestionState.ANSWERED)
    _move(key, ["state", "outcome", "assignment"], unanswered, QuestionState.OPEN)
    _move(key, ["state", "barred", "barred_count", "shown"], again, QuestionState.ANSWERED)
    update_many(Question, key, ["barred", "barred_count", "shown"], changed)


def _move(keys: list[str], values: list[str], rows: Sequence[Sequence[Any]], old: QuestionState) -> None:
    """Move each row only if its state is still `old`; if an answer came in between, nothing at all is written."""
    if update_many(Question, keys, values, rows, only=f"t.state = '{old.value}'") != len(rows):
        raise StateMovedError


def _question(c: Changed, number: int, now: datetime) -> Question:
    task, subject, barred, shown = c.after.questions[number]
    return Question(
        project_id=c.project_id,
        image_id=c.image_id,
        task=task,
        number=number,
        subject=list(subject),
        chain=None if task == Task.COREFERENCE_LINK else subject[0],
        barred=list(barred),
        barred_count=len(barred),
        shown=shown,
        for_people=c.has_picture,
        opened_at=now,
    )


def _write_transitions(changes: list[Changed], now: datetime) -> None:
    columns = ["project", "image", "machine", "subject", "old", "new", "reason", "sequence", "created_at"]
    rows = (
        (c.project_id, c.image_id, m.machine, str(m.subject), m.old, m.new, m.reason[:200], m.entry, now)
        for c in changes
        for m in c.moves
    )
    insert_many(Transition, columns, rows)
