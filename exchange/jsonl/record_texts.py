"""Questions, answers and records of some images, as the texts of JSON Lines: they are nearly all of an export.

`exchange.jsonl.rows` declares what each text holds. Rows as values, which are then written, would take twice as long.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from exchange.json_columns import IsoTime, column_text
from exchange.json_text import json_text, quoted, read_json, row_form, stored_text
from exchange.jsonl.record_rows import JudgmentEntry
from exchange.jsonl.rows import JudgmentRow, QuestionRow
from exchange.who_answered import ImageAnswers
from pipeline.models import Entry, Judgment, Question, Transition
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.progress import StateMachine
from pipeline.protocol.tasks.task import QuestionState

JUDGMENT, QUESTION, ENTRY = map(row_form, (JudgmentRow, QuestionRow, JudgmentEntry))
JUDGED = '{"answer": %s, "question": %s, "worker": %s}'
"""The data of the entry of a judgment, but for a few that hold more."""
NULL = "null"


class Judged(NamedTuple):
    """A judgment of a question."""

    worker: int
    answer: str
    """As it is stored."""
    entry: int | None
    """The entry with which it acted, unless it was voided."""
    text: str


class ImageRecord:
    """The questions and the record of one image."""

    def __init__(self) -> None:
        self.questions: list[str] = []
        self.entries: list[str] = []
        self.counts: dict[int | None, Counter[str]] = defaultdict(Counter)
        """The number of judgments by chain and task."""
        self.named: set[int] = set()
        """Workers whose numbers entries of no judgment hold."""
        self.answered: list[tuple[str, str, Sequence[Judged]]] = []
        """Questions that were answered, each as its task, its stored subject and its judgments."""

    def workers(self) -> set[int]:
        """Return the workers who answered, or whom entries name."""
        return self.named.union(judgment.worker for *_, judgments in self.answered for judgment in judgments)

    def answers(
        self, boxes: Collection[tuple[Any, ...]], without: Collection[int], programs: Mapping[int, str]
    ) -> ImageAnswers:
        """Count the answers that acted and were not voided. `without`: entries without effect; `programs`: names."""
        found = ImageAnswers()
        for task, subject, judgments in self.answered:
            for worker, answer, entry, _ in judgments:
                if entry is not None and entry not in without:
                    found.add(task, read_json(subject), read_json(answer), programs.get(worker))
        for number, *_, worker in boxes:
            if worker is not None:
                found.drawn(number, programs.get(worker))
        return found


def load_records(
    ids: Sequence[int], worker: Callable[[int], str], actor: Callable[[str], str]
) -> dict[int, ImageRecord]:
    """Return the questions and record of each image. `worker`, `actor`: give the pseudonyms of workers and experts."""
    found: dict[int, ImageRecord] = defaultdict(ImageRecord)
    kept = _Kept(worker)
    entries = list(_entries(ids))
    for image, sequence, kind, _, judgment, told, *_ in entries:
        kept.note(image, sequence, kind, judgment, told)
    kept.read_judgments(ids)
    _add_questions(found, ids, kept)
    for image, sequence, kind, version, judgment, told, context, by, reason, at in entries:
        if judgment is not None:
            data = kept.judged(judgment, told, context)
        else:
            data = _data(found[image], {**json.loads(told), **_context(context)}, worker)
        found[image].entries.append(
            ENTRY
            % (
                f'"{actor(by)}"' if by else '""',
                *(f'"{at}"', data, quoted(kind), json_text(reason) if reason else '""', sequence, version),
            )
        )
    return found


def _entries(ids: Sequence[int]) -> Any:
    rows = Entry.objects.filter(image_id__in=ids).order_by("image_id", "sequence")
    return rows.values_list(
        *("image_id", "sequence", "kind", "settings_version", "judgment_id", column_text("data")),
        column_text("context"),
        *("actor", "reason", IsoTime("created_at")),
    )


class _Kept:
    """Judgments with their entries, and entries with what their judgments say."""

    def __init__(self, worker: Callable[[int], str]) -> None:
        self.worker = worker
        self.entry: dict[int, int] = {}
        """The entry of each judgment."""
        self.void: dict[int, int] = {}
        """The entry that voided a judgment."""
        self.by_question: dict[int, list[Judged]] = defaultdict(list)
        self.by_id: dict[int, tuple[str, int, str]] = {}
        """Of each judgment its answer, the number of its question, and its worker's pseudonym."""
        self._of: dict[tuple[int, int], int] = {}

    def note(self, image: int, sequence: int, kind: str, judgment: int | None, told: str) -> None:
        """Note an entry. Those of an image come in their order."""
        if judgment is not None:
            self.entry[judgment] = sequence
            self._of[image, sequence] = judgment
        if kind == EntryKind.VOID.value:
            self.void.update((self._of[image, entry], sequence) for entry in read_json(told)["entries"])

    def read_judgments(self, ids: Sequence[int]) -> None:
        """Read the judgments of these images, whose entries are noted."""
        rows = Judgment.objects.filter(question__image_id__in=ids).order_by("id")
        columns = rows.values_list(
            *("id", "question_id", "question__number", "worker_id", column_text("answer")),
            *("seconds", "comment", IsoTime("created_at")),
        )
        worker, entries, void = self.worker, self.entry, self.void
        for number, question, place, who, stored, seconds, comment, at in columns:
            answer, name = stored_text(stored), f'"{worker(who)}"'
            entry, voided = entries.get(number), void.get(number)
            text = JUDGMENT % (
                answer,
                f'"{at}"',
                json_text(comment) if comment else '""',
                NULL if entry is None else entry,
                NULL if seconds is None else repr(seconds),
                NULL if voided is None else voided,
                name,
            )
            self.by_question[question].append(Judged(who, stored, entry if voided is None else None, text))
            self.by_id[number] = answer, place, name

    def judged(self, judgment: int, told: str, context: str | None) -> str:
        """Return the data of the entry of a judgment, with its context."""
        answer, question, name = self.by_id[judgment]
        if told == "{}" and context is None:
            return JUDGED % (answer, question, name)
        own = {"question": question, "worker": read_json(name), "answer": read_json(answer)}
        return json_text({**own, **read_json(told), **_context(context)})


def _context(text: str | None) -> dict[str, Any]:
    return {} if text is None else json.loads(text)


def _data(record: ImageRecord, data: dict[str, Any], worker: Callable[[int], str]) -> str:
    """Return the data of an entry of no judgment, with the pseudonym of the worker that it names."""
    if data.get("worker") is not None:
        record.named.add(data["worker"])
        data["worker"] = worker(data["worker"])
    return json_text(data)


def _add_questions(found: dict[int, ImageRecord], ids: Sequence[int], kept: _Kept) -> None:
    closed = _closing_entries(ids)
    rows = Question.objects.filter(image_id__in=ids).order_by("image_id", "number")
    for row, image, number, task, subject, chain, state, outcome in rows.values_list(
        *("id", "image_id", "number", "task", column_text("subject"), "chain", "state", "outcome")
    ):
        record, judgments = found[image], kept.by_question.get(row, ())
        if judgments:
            record.counts[chain][task] += len(judgments)
            record.answered.append((task, subject, judgments))
        record.questions.append(
            QUESTION
            % (
                NULL if chain is None else chain,
                closed.get((image, str(number)), NULL),
                f"[{', '.join([judgment.text for judgment in judgments])}]",
                *(number, quoted(outcome), quoted(state), subject, quoted(task)),
            )
        )


def _closing_entries(ids: Sequence[int]) -> dict[tuple[int, str], int]:
    """Return the number of the entry that closed each question, by image and number of the question."""
    closings = Transition.objects.filter(
        image_id__in=ids,
        machine=StateMachine.QUESTION.value,
        old=QuestionState.OPEN.value,
        new=QuestionState.CLOSED.value,
    )
    rows = closings.order_by("id").values_list("image_id", "subject", "sequence")
    return {(image, subject): entry for image, subject, entry in rows}
