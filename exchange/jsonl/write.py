"""The writer for JSON Lines: a line for the project, then one per image with its result and its whole record.

`exchange.jsonl.rows` declares every field. Rows as values, which are then written, would take twice as long.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from annotation.models import Box, Caption, Chain, Image, KnownBox, MergedBox, Project
from annotation.rules.states import BoxState
from belief.habits import CROWD
from exchange.declared import Answered
from exchange.formats.parts import LINES, ExportPart
from exchange.json_text import json_text, list_text, quoted, read_json, row_form, stored_text
from exchange.jsonl.rows import (
    BoxRow,
    CaptionRow,
    ChainRow,
    ImageLine,
    JudgmentEntry,
    JudgmentRow,
    LinkRow,
    MentionRow,
    MergedBoxRow,
    ProjectLine,
    QuestionRow,
    SettingsRow,
)
from exchange.load_project import (
    ImageAnswers,
    IsoTime,
    column_text,
    ids_in_order,
    left_over,
    programs_of_service,
    without_effect,
)
from pipeline.models import Entry, Judgment, Progress, Question, SettingsVersion, Transition
from pipeline.project.settings_versions import all_settings
from pipeline.protocol.boxes.tallies import drawer_judged
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.image.merging import final_chain, final_chance, final_confidence, sources_of_pairs
from pipeline.protocol.state.progress import ImageProgress, StateMachine
from pipeline.protocol.state.progress_json import from_text
from pipeline.protocol.tasks.coreference_link import PartAnswer
from pipeline.protocol.tasks.task import QuestionState


def shown_values(values: Mapping[str, Any], pseudonym: Callable[[int], str]) -> dict[str, Any]:
    """Return the values of a version of the settings. `pseudonym`: of the worker with a number."""
    prior = values.get("box_prior") or {}
    if not prior.get("habits"):
        return {**values}
    habits = {name if name == CROWD else pseudonym(int(name)): habit for name, habit in prior["habits"].items()}
    return {**values, "box_prior": {**prior, "habits": habits}}


LINK = '{"mentions": [%d, %d], "no": %d, "source": %s, "yes": %d}'
"""A link that programs did not answer, of which no chance is known, and about which nobody named a part."""


def mention_rows(progress: ImageProgress) -> list[MentionRow]:
    chain_of = {number: chain.name for chain in progress.chains.values() for number in chain.mentions}
    return [
        {
            "number": m.number,
            "caption": m.caption,
            "start": m.start,
            "end": m.end,
            "text": m.text,
            "types": m.types,
            "chain": chain_of.get(m.number),
        }
        for m in sorted(progress.mentions.values(), key=lambda m: m.order)
    ]


def chain_row(
    row: tuple[Any, ...], progress: ImageProgress, judgments: Counter[str], answers: ImageAnswers | None
) -> ChainRow:
    """Return the row of a chain. `judgments`: the number of all judgments about it by task."""
    name, state, representative, non_visual, doubted, review = row
    said: Answered = answers.of_chain(progress.chains[name].mentions).as_json() if answers else {}
    return {
        "name": name,
        "mentions": progress.chains[name].mentions,
        "state": state,
        "representative": representative,
        "non_visual": non_visual,
        "doubted": doubted,
        "review": review,
        "confidence": final_confidence(progress, name),
        "box_confidence": progress.chains[name].box_confidence,
        "merged_into": progress.chains[name].merged_into,
        "drawer_judged": drawer_judged(progress.chains[name]),
        "judgments": dict(judgments),
        **said,
    }


def box_row(
    row: tuple[Any, ...], pseudonym: Callable[[int], str], progress: ImageProgress, answers: ImageAnswers | None
) -> BoxRow:
    number, chain, *edges, state, worker = row
    box = progress.boxes[number]
    said: Answered = answers.of_boxes(number).as_json() if answers else {}
    return {
        "number": number,
        "chain": chain,
        "box": edges,
        "state": state,
        "drawn_by": None if worker is None else pseudonym(worker),
        "pre_annotated": box.pre_annotated,
        "drawn": box.entry,
        "accepted": box.accepted,
        "confidence": box.confidence if box.state is BoxState.ACCEPTED else None,
        **said,
    }


def merged_row(row: tuple[Any, ...], progress: ImageProgress) -> MergedBoxRow:
    number, *edges, members = row
    chains = progress.reading_order(list({final_chain(progress, progress.boxes[member].chain) for member in members}))
    return {"number": number, "box": edges, "members": members, "chains": chains}


def link_texts(progress: ImageProgress, answers: ImageAnswers | None) -> Iterator[str]:
    """Yield the text of a row for every two mentions, in reading order; none before linking."""
    people = progress.votes_by(model=False)
    for (a, b), source in sources_of_pairs(progress).items() if progress.chains else ():
        votes = people.get((a, b), ())
        yes = sum(vote.answer for vote in votes) if votes else 0
        same = final_chance(progress, a, b, source) if progress.together else None
        said = answers.of_link(a, b) if answers else None
        parts = Counter(vote.part_answer for vote in votes if vote.part_answer) if votes else None
        if same is None and said is None and not parts:  # as of most of the 150 links in an image of 18 mentions
            yield LINK % (a, b, len(votes) - yes, quoted(source), yes)
            continue
        row: LinkRow = {"mentions": [a, b], "source": source, "yes": yes, "no": len(votes) - yes}
        if parts and (first := parts[PartAnswer.A_OF_B]):
            row["a_is_part_of_b"] = first
        if parts and (second := parts[PartAnswer.B_OF_A]):
            row["b_is_part_of_a"] = second
        if same is not None:
            row["same"] = same
        if said is not None:
            row.update(said.as_json())
        yield json_text(row)


JUDGMENT, QUESTION, ENTRY = map(row_form, (JudgmentRow, QuestionRow, JudgmentEntry))
JUDGED = '{"answer": %s, "question": %s, "worker": %s}'
"""The data of the entry of a judgment, but for a few that hold more."""
NULL = "null"


class StoredJudgment(NamedTuple):
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
        self.answered: list[tuple[str, str, Sequence[StoredJudgment]]] = []
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
    kept = _WrittenRecord(worker)
    rows = Entry.objects.filter(image_id__in=ids).order_by("image_id", "sequence")
    entries = list(
        rows.values_list(
            *("image_id", "sequence", "kind", "settings_version", "judgment_id", column_text("data")),
            column_text("context"),
            *("actor", "reason", IsoTime("created_at")),
        )
    )
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


class _WrittenRecord:
    """Judgments with their entries, and entries with what their judgments say."""

    def __init__(self, worker: Callable[[int], str]) -> None:
        self.worker = worker
        self.entry: dict[int, int] = {}
        """The entry of each judgment."""
        self.void: dict[int, int] = {}
        """The entry that voided a judgment."""
        self.by_question: dict[int, list[StoredJudgment]] = defaultdict(list)
        self.by_id: dict[int, tuple[str, int, str]] = {}
        """Of each judgment its answer, the number of its question, and its worker's pseudonym."""
        self._of: dict[tuple[int, int], int] = {}

    def note(self, image: int, sequence: int, kind: str, judgment: int | None, data: str) -> None:
        """Note an entry. Those of an image come in their order."""
        if judgment is not None:
            self.entry[judgment] = sequence
            self._of[image, sequence] = judgment
        if kind == EntryKind.VOID.value:
            self.void.update((self._of[image, entry], sequence) for entry in read_json(data)["entries"])

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
            self.by_question[question].append(StoredJudgment(who, stored, entry if voided is None else None, text))
            self.by_id[number] = answer, place, name

    def judged(self, judgment: int, data: str, context: str | None) -> str:
        """Return the data of the entry of a judgment, with its context."""
        answer, question, name = self.by_id[judgment]
        if data == "{}" and context is None:
            return JUDGED % (answer, question, name)
        own = {"question": question, "worker": read_json(name), "answer": read_json(answer)}
        return json_text({**own, **read_json(data), **_context(context)})


def _context(text: str | None) -> dict[str, Any]:
    return {} if text is None else json.loads(text)


def _data(record: ImageRecord, data: dict[str, Any], worker: Callable[[int], str]) -> str:
    """Return the data of an entry of no judgment, with the pseudonym of the worker that it names."""
    if data.get("worker") is not None:
        record.named.add(data["worker"])
        data["worker"] = worker(data["worker"])
    return json_text(data)


def _add_questions(records: dict[int, ImageRecord], ids: Sequence[int], written: _WrittenRecord) -> None:
    closed = _closing_entries(ids)
    rows = Question.objects.filter(image_id__in=ids).order_by("image_id", "number")
    for row, image, number, task, subject, chain, state, outcome in rows.values_list(
        *("id", "image_id", "number", "task", column_text("subject"), "chain", "state", "outcome")
    ):
        record, judgments = records[image], written.by_question.get(row, ())
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


IMAGE, CAPTION = map(row_form, (ImageLine, CaptionRow))
COLUMNS = sorted(ImageLine.__annotations__)
OF_IMAGE = ("name", "path", "coco_id", "position", "width", "height", "state")
TRUE, FALSE = "true", "false"
PARTS = ("mentions", "chains", "boxes", "votes", "sources", "together")
"""The parts of an image's progress that its line shows."""
IMAGES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class RecordLines:
    """The lines of a project. Workers and experts have pseudonyms, the same in every export of this service."""

    project: Project
    only: Collection[int] | None
    """Ids of the images to write; None: all."""
    include_unmerged: bool
    with_project: bool = True
    """Whether the line of the project comes first."""
    step: Callable[[], object] = lambda: None
    """Called after each image."""

    def __iter__(self) -> Iterator[str]:
        """Yield the line of each image."""
        for line in _lines(self.project, self.only, include_unmerged=self.include_unmerged):
            yield line
            self.step()


def write_record(lines: RecordLines, part: ExportPart) -> int:
    """Write the lines, and return the number of images. The same project gives the same bytes."""
    count, text = 0, part.text(LINES.name)
    if lines.with_project:
        text.write(f"{json_text(_head(lines.project))}\n".encode())
    for line in lines:
        text.write(f"{line}\n".encode())
        count += 1
    return count


def pseudonym(project_id: int, worker_id: int) -> str:
    """Return the worker's pseudonym in the project. It cannot be reversed without the service's secret key."""
    return "w" + _digest(f"{project_id}:{worker_id}")


def pseudonym_of_expert(project_id: int, name: str) -> str:
    """Return the pseudonym of a member who has acted in the project's records."""
    return "e" + _digest(f"{project_id}:actor:{name}")


def _digest(text: str) -> str:
    return salted_hmac("chainbox.pseudonym", text).hexdigest()[:12]


def _head(project: Project) -> ProjectLine:
    """Return the first line."""
    worker = partial(pseudonym, project.id)
    versions = all_settings(project.id)
    settings: list[SettingsRow] = [
        {
            "version": row.version,
            "values": shown_values(versions[row.version].to_json(), worker),
            "reason": row.reason,
            "at": row.created_at.isoformat(),
        }
        for row in SettingsVersion.objects.filter(project=project).order_by("version").defer("values")
    ]
    return {"kind": "project", "format": 1, "name": project.name, "title": project.title, "settings": settings}


def _lines(project: Project, only: Collection[int] | None, *, include_unmerged: bool) -> Iterator[str]:
    part = _Part(project)
    ids = ids_in_order(project, only, include_unmerged=include_unmerged)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        yield from part.images(ids[start : start + IMAGES_AT_ONCE])


class _Part:
    """Loads some images of a project at a time, with one statement for each table."""

    def __init__(self, project: Project) -> None:
        # An HMAC takes longer than the rest of a judgment, and a worker has thousands of judgments.
        self.worker = cache(lambda number: pseudonym(project.id, number))
        self.actor = cache(lambda name: pseudonym_of_expert(project.id, name))
        self.programs = programs_of_service()

    def images(self, ids: list[int]) -> Iterator[str]:
        """Yield the lines of these images, in import order."""
        states = dict(Progress.objects.filter(image_id__in=ids).values_list("image_id", column_text("state")))
        lists = map(column_text, ("words", "offsets", "non_visual"))
        captions = _by_image(Caption, ids, "number", "text", *lists, "chunked")
        chains = _by_image(Chain, ids, "name", "state", "representative", "non_visual", "doubted", "review")
        boxes = _by_image(Box, ids, "number", "chain", "x0", "y0", "x1", "y1", "state", "drawn_by_id")
        known = _by_image(KnownBox, ids, "id", "category", "x0", "y0", "x1", "y1")
        merged = _by_image(MergedBox, ids, "number", "x0", "y0", "x1", "y1", "members")
        records = load_records(ids, self.worker, self.actor)
        dropped = without_effect(ids) if self.programs else set()
        rows = Image.objects.filter(id__in=ids).order_by("position")
        for image, *columns in rows.values_list("id", *OF_IMAGE):
            progress = from_text(states[image], *PARTS)
            record = records[image]
            found = record.workers() & self.programs.keys() if self.programs else ()
            programs = {self.programs[number]: {"worker": self.worker(number), "number": number} for number in found}
            answers = None
            if programs:
                without = {entry for of, entry in dropped if of == image}
                answers = record.answers(boxes[image], without, self.programs)
            values = dict(zip(OF_IMAGE, columns, strict=True))
            if values["coco_id"] is None:  # as Image.coco_number
                values["coco_id"] = values["position"] + 1
            texts = {
                "captions": _captions(captions[image], progress),
                "links": link_texts(progress, answers),
                "questions": record.questions,
                "record": record.entries,
            }
            lists_of_rows = {
                "mentions": mention_rows(progress),
                "chains": [chain_row(chain, progress, record.counts[chain[0]], answers) for chain in chains[image]],
                "boxes": [box_row(box, self.worker, progress, answers) for box in boxes[image]],
                "known_boxes": [{"category": category, "box": edges} for _, category, *edges in known[image]],
                "merged_boxes": [merged_row(box, progress) for box in merged[image]],
            }
            whole = {"kind": "image", **values, **lists_of_rows, "programs": programs}
            written = {name: json_text(value) for name, value in whole.items()}
            written |= {name: f"[{', '.join(rows)}]" for name, rows in texts.items()}
            yield IMAGE % tuple(written[name] for name in COLUMNS)


def _captions(rows: Iterable[tuple[Any, ...]], progress: ImageProgress) -> Iterator[str]:
    """Yield the captions of an image."""
    taken: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for mention in progress.mentions.values():
        taken[mention.caption].append((mention.start, mention.end))
    for number, text, words, offsets, spans, chunked in rows:
        left = spans if spans == "[]" else json_text(left_over(json.loads(spans), taken[number]))
        yield CAPTION % (TRUE if chunked else FALSE, left, offsets, json_text(text), list_text(words))


def _by_image(table: Any, ids: list[int], *columns: Any) -> dict[int, list[tuple[Any, ...]]]:
    """Return rows of a table by image, in the order of their first column."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    rows: QuerySet[Any] = table.objects.filter(image_id__in=ids).order_by("image_id", columns[0])
    for image, *row in rows.values_list("image_id", *columns):
        found[image].append(tuple(row))
    return found
