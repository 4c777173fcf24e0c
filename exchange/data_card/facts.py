"""Facts of a data card: everything that it says, gathered from the record, before any words are made of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import islice

from annotation.data_card import given
from annotation.models import Project
from exchange.data_card.count_answers import AnswerCounts, TaskAnswers
from exchange.data_card.count_rows import RowCounts
from exchange.data_card.count_work import Version, Work, versions_of, work_of
from exchange.formats.format import Format
from pipeline.protocol.tasks.task import Task
from workers.models import Worker

PERSON, PROGRAM, VIRTUAL = Worker.Kind.PERSON.value, Worker.Kind.PROGRAM.value, Worker.Kind.VIRTUAL.value
IMAGES_AT_ONCE = 500


@dataclass(frozen=True)
class Facts:
    """The facts about an export and the project that it is of."""

    project: Project
    export_format: Format
    rows: RowCounts
    answers: AnswerCounts
    work: Work
    versions: list[Version]
    images: int
    """Images that the export holds."""
    not_exported: int
    """Images of the project that it does not hold."""
    boxes: int
    notes: tuple[str, ...]
    """Sentences about what the export leaves out, or says in a way that a reader should know."""
    parts: tuple[str, ...]
    packed: tuple[str, ...] = ()
    """Paths of files of the export that lie in an archive already, and no more on disk."""

    @cached_property
    def given(self) -> dict[str, str]:
        return given(self.project.data_card)

    @property
    def title(self) -> str:
        return " ".join(self.project.title.split()) or self.project.name

    @property
    def version(self) -> str:
        """The version of the data: of two exports with the same one, settings and record are the same."""
        return f"1.{self.work.newest}.{self.rows.entries}"

    @property
    def changed(self) -> date:
        return (self.rows.changed_at or self.project.created_at).date()

    @property
    def tasks(self) -> list[tuple[Task, TaskAnswers]]:
        """The tasks that anybody answered, in the order of the protocol."""
        return [(task, self.answers.tasks[task]) for task in Task if task in self.answers.tasks]

    @cached_property
    def by_kind(self) -> Counter[str]:
        """Answers by the kind of worker."""
        found = Counter[str]()
        for _, counts in self.tasks:
            found.update(counts.by_kind)
        return found

    @cached_property
    def workers(self) -> Counter[str]:
        """Workers with a counted answer, by kind."""
        return Counter(self.answers.workers.values())

    @property
    def is_simulated(self) -> bool:
        return bool(self.by_kind[VIRTUAL])


def gather(
    project: Project,
    ids: Sequence[int],
    *,
    export_format: Format,
    fewer_boxes: int = 0,
    notes: Iterable[str] = (),
    parts: Iterable[str] = (),
) -> Facts:
    """Return the facts about an export of these images. Reads some hundreds of images at a time.

    `fewer_boxes`: the boxes that options leave out.
    """
    rows, answers = count(ids)
    return facts_of(
        project, rows, answers, export_format=export_format, fewer_boxes=fewer_boxes, notes=notes, parts=parts
    )


def count(ids: Sequence[int]) -> tuple[RowCounts, AnswerCounts]:
    """Count the rows and the answers of these images. Reads some hundreds of images at a time."""
    rows, answers = RowCounts(), AnswerCounts()
    for some in _parts(ids):
        rows.add(some)
        answers.add(some)
    return rows, answers


def facts_of(
    project: Project,
    rows: RowCounts,
    answers: AnswerCounts,
    *,
    export_format: Format,
    fewer_boxes: int = 0,
    notes: Iterable[str] = (),
    parts: Iterable[str] = (),
    packed: Iterable[str] = (),
) -> Facts:
    """Return the facts about an export whose rows and answers are counted. The arguments are those of `gather`.

    `packed`: paths of files that are not on disk any more.
    """
    return Facts(
        project=project,
        export_format=export_format,
        rows=rows,
        answers=answers,
        work=work_of(project),
        versions=versions_of(project, rows.versions),
        images=rows.images,
        not_exported=project.images.count() - rows.images,
        boxes=rows.boxes - fewer_boxes,
        notes=tuple(notes),
        parts=tuple(parts),
        packed=tuple(packed),
    )


def _parts(ids: Sequence[int]) -> Iterator[list[int]]:
    rest = iter(ids)
    while some := list(islice(rest, IMAGES_AT_ONCE)):
        yield some
