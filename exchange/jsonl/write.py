"""The writer for JSON Lines: a line for the project, then one per image with its result and its whole record.

`exchange.jsonl.rows` declares every field.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Box, Caption, Chain, KnownBox, MergedBox, Project
from annotation.rules.states import ImageState
from exchange.atomic import atomic_file
from exchange.json_text import column_text, json_text, read_json
from exchange.jsonl.image_rows import box_row, chain_row, link_rows, mention_rows, merged_row
from exchange.jsonl.record_rows import EntryRow
from exchange.jsonl.rows import ImageLine, JsonlLine, JudgmentRow, ProgramRow, QuestionRow, SettingsRow
from exchange.jsonl.settings_values import shown_values
from exchange.stored_image import left_over
from exchange.who_answered import ImageAnswers, programs_of_service, without_effect
from pipeline.models import Entry, Judgment, Progress, Question, SettingsVersion, Transition
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.progress.progress import Machine
from pipeline.rules.progress.progress_json import from_text
from pipeline.rules.tasks.task import QuestionState

IMAGES_AT_ONCE = 50


def write_jsonl(
    project: Project,
    target: Path,
    *,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    step: Callable[[], object] = lambda: None,
) -> int:
    """Write the project to the file `target`, which appears when everything is written. Returns the number of images.

    The same project gives the same bytes. Workers and experts have pseudonyms, the same in every export of this
    service. `only`: ids of the images to write; None: all. Raises TargetExists if the target is not empty.
    """
    count = 0
    with atomic_file(target) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        for line in _lines(project, only, include_unmerged=include_unmerged):
            file.write(f"{json_text(line)}\n")
            if line["kind"] == "image":
                count += 1
                step()
    return count


def pseudonym(project_id: int, worker_id: int) -> str:
    """Return the worker's pseudonym in the project. It cannot be reversed without the service's secret key."""
    return "w" + _digest(f"{project_id}:{worker_id}")


def pseudonym_of_expert(project_id: int, name: str) -> str:
    """Return the pseudonym of a member who has acted in the project's records."""
    return "e" + _digest(f"{project_id}:actor:{name}")


def _digest(text: str) -> str:
    return salted_hmac("chainbox.pseudonym", text).hexdigest()[:12]


def _lines(project: Project, only: Collection[int] | None, *, include_unmerged: bool) -> Iterator[JsonlLine]:
    versions = SettingsVersion.objects.filter(project=project).order_by("version")
    part = _Part(project)
    settings: list[SettingsRow] = [
        {
            "version": row.version,
            "values": shown_values(row.values, part.worker),
            "reason": row.reason,
            "at": row.created_at.isoformat(),
        }
        for row in versions
    ]
    yield {
        "kind": "project",
        "format": 1,
        "name": project.name,
        "title": project.title,
        "settings": settings,
    }
    images = project.images.order_by("position")
    if not include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    ids = [one for one in images.values_list("id", flat=True) if only is None or one in only]
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        yield from part.images(ids[start : start + IMAGES_AT_ONCE])


class _Part:
    """Loads some images of a project at a time, with one statement for each table."""

    def __init__(self, project: Project) -> None:
        self.project = project
        # An HMAC takes longer than the rest of a judgment, and a worker has thousands of judgments.
        self.worker = cache(lambda number: pseudonym(project.id, number))
        self.actor = cache(lambda name: pseudonym_of_expert(project.id, name))
        programs = programs_of_service()
        self.names = {self.worker(number): name for number, name in programs.items()}
        self.numbers = {name: number for number, name in programs.items()}

    def images(self, ids: list[int]) -> Iterator[ImageLine]:
        """Yield the lines of these images, in import order."""
        states = dict(Progress.objects.filter(image_id__in=ids).values_list("image_id", column_text("state")))
        captions = _by_image(Caption, ids, "number", "text", "words", "offsets", "non_visual", "chunked")
        chains = _by_image(Chain, ids, "name", "state", "representative", "non_visual", "doubted", "review")
        boxes = _by_image(Box, ids, "number", "chain", "x0", "y0", "x1", "y1", "state", "drawn_by_id")
        known = _by_image(KnownBox, ids, "id", "category", "x0", "y0", "x1", "y1")
        merged = _by_image(MergedBox, ids, "number", "x0", "y0", "x1", "y1", "members")
        questions, record = self._questions_and_record(ids)
        dropped = without_effect(ids) if self.names else set()
        rows = self.project.images.filter(id__in=ids).order_by("position")
        for row in rows:
            image = row.pk
            progress = from_text(states[image])
            counts = _judgments_per_task(questions[image])
            programs = self._programs(questions[image], record[image])
            answers = None
            if programs:
                without = {entry for of, entry in dropped if of == image}
                answers = self._answers(questions[image], boxes[image], without)
            taken: dict[int, list[tuple[int, int]]] = defaultdict(list)
            for mention in progress.mentions.values():
                taken[mention.caption].append((mention.start, mention.end))
            yield {
                "kind": "image",
                "name": row.name,
                "path": row.path,
                "coco_id": row.coco_number,
                "position": row.position,
                "width": row.width,
                "height": row.height,
                "state": row.state,
                "captions": [
                    {
                        "text": text,
                        "words": words,
                        "offsets": offsets,
                        "non_visual": left_over(spans, taken[number]),
                        "chunked": chunked,
                    }
                    for number, text, words, offsets, spans, chunked in captions[image]
                ],
                "mentions": mention_rows(progress),
                "chains": [chain_row(one, progress, counts[one[0]], answers) for one in chains[image]],
                "boxes": [box_row(one, self.worker, progress, answers) for one in boxes[image]],
                "known_boxes": [{"category": category, "box": edges} for _, category, *edges in known[image]],
                "merged_boxes": [merged_row(one, progress) for one in merged[image]],
                "links": link_rows(progress, answers),
                "programs": programs,
                "questions": questions[image],
                "record": record[image],
            }

    def _programs(self, questions: Iterable[QuestionRow], record: Iterable[EntryRow]) -> dict[str, ProgramRow]:
        """Return the pseudonym and number of each program in an image's line, by its name."""
        if not self.names:
            return {}
        said = {one["worker"] for question in questions for one in question["judgments"]}
        said.update(str(entry["data"].get("worker")) for entry in record)
        found = {one: self.names[one] for one in said & self.names.keys()}
        return {name: {"worker": one, "number": self.numbers[name]} for one, name in found.items()}

    def _answers(
        self, questions: Iterable[QuestionRow], boxes: Iterable[tuple[Any, ...]], without: Collection[int]
    ) -> ImageAnswers:
        """Count the answers of an image that acted and were not voided. `without`: entries without effect."""
        found, names = ImageAnswers(), self.names
        for question in questions:
            for one in question["judgments"]:
                if one["entry"] is not None and one["voided"] is None and one["entry"] not in without:
                    found.add(question["task"], question["subject"], one["answer"], names.get(one["worker"]))
        for number, *_, worker in boxes:
            if worker is not None:
                found.drawn(number, names.get(self.worker(worker)))
        return found

    def _questions_and_record(self, ids: list[int]) -> tuple[dict[int, list[QuestionRow]], dict[int, list[EntryRow]]]:
        """Return the questions of each image, and its record; a judgment is in both."""
        answered, judgments = self._judgments(ids)
        questions: dict[int, list[QuestionRow]] = defaultdict(list)
        closed = _closing_entries(ids)
        rows = Question.objects.filter(image_id__in=ids).order_by("image_id", "number")
        for row, image, number, task, subject, chain, state, outcome in rows.values_list(
            *("id", "image_id", "number", "task", column_text("subject"), "chain", "state", "outcome")
        ):
            line: QuestionRow = {
                "number": number,
                "task": task,
                "subject": read_json(subject),
                "chain": chain,
                "state": state,
                "outcome": outcome,
                "closed": closed.get((image, str(number))),
                "judgments": answered[row],
            }
            questions[image].append(line)
        return questions, self._record(ids, judgments)

    def _judgments(self, ids: list[int]) -> tuple[dict[int, list[JudgmentRow]], dict[int, tuple[int, JudgmentRow]]]:
        """Return the judgments by the id of their question; and by their own, each with the number of its question."""
        by_question: dict[int, list[JudgmentRow]] = defaultdict(list)
        by_id: dict[int, tuple[int, JudgmentRow]] = {}
        rows = Judgment.objects.filter(question__image_id__in=ids).order_by("id")
        for number, question, place, worker, answer, seconds, comment, at in rows.values_list(
            *("id", "question_id", "question__number", "worker_id", column_text("answer")),
            *("seconds", "comment", "created_at"),
        ):
            line: JudgmentRow = {
                "worker": self.worker(worker),
                "answer": read_json(answer),
                "seconds": seconds,
                "comment": comment,
                "at": at.isoformat(),
                "entry": None,
                "voided": None,
            }
            by_question[question].append(line)
            by_id[number] = place, line
        return by_question, by_id

    def _record(self, ids: list[int], judgments: dict[int, tuple[int, JudgmentRow]]) -> dict[int, list[EntryRow]]:
        """Return the entries of each image, and note in each judgment its entry and the entry that voided it."""
        record: dict[int, list[EntryRow]] = defaultdict(list)
        judged: dict[tuple[int, int], JudgmentRow] = {}
        rows = Entry.objects.filter(image_id__in=ids).order_by("image_id", "sequence")
        for image, sequence, kind, version, judgment, told, actor, reason, at in rows.values_list(
            *("image_id", "sequence", "kind", "settings_version", "judgment_id", column_text("data")),
            *("actor", "reason", "created_at"),
        ):
            data = read_json(told)
            if judgment is not None:
                question, line = judgments[judgment]
                line["entry"] = sequence
                judged[image, sequence] = line
                data = {"question": question, "worker": line["worker"], "answer": line["answer"], **data}
            elif data.get("worker") is not None:
                data = data | {"worker": self.worker(data["worker"])}
            if kind == EntryKind.VOID.value:
                for entry in data["entries"]:
                    judged[image, entry]["voided"] = sequence
            record[image].append(
                {
                    "sequence": sequence,
                    "kind": kind,
                    "settings": version,
                    "at": at.isoformat(),
                    "actor": self.actor(actor) if actor else "",
                    "reason": reason,
                    "data": data,
                }
            )
        return record


def _by_image(table: Any, ids: list[int], *columns: str) -> dict[int, list[tuple[Any, ...]]]:
    """Return rows of a table by image, in the order of their first column."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    rows: QuerySet[Any] = table.objects.filter(image_id__in=ids).order_by("image_id", columns[0])
    for image, *row in rows.values_list("image_id", *columns):
        found[image].append(tuple(row))
    return found


def _closing_entries(ids: list[int]) -> dict[tuple[int, str], int]:
    """Return the number of the entry that closed each question, by image and number of the question."""
    closings = Transition.objects.filter(
        image_id__in=ids,
        machine=Machine.QUESTION.value,
        old=QuestionState.OPEN.value,
        new=QuestionState.CLOSED.value,
    )
    return {
        (image, subject): entry for image, subject, entry in closings.values_list("image_id", "subject", "sequence")
    }


def _judgments_per_task(questions: Iterable[QuestionRow]) -> dict[int | None, Counter[str]]:
    """Return the number of judgments by chain and task."""
    counts: dict[int | None, Counter[str]] = defaultdict(Counter)
    for question in questions:
        if question["judgments"]:
            counts[question["chain"]][question["task"]] += len(question["judgments"])
    return counts
