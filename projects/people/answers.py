"""A worker's answers as the worker saw them: the picture, the phrases, the boxes, and what became of the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.models import Image, Project
from pipeline.models import Judgment
from pipeline.protocol.state.progress import Cause
from pipeline.protocol.tasks.box_requirement import RequirementAnswer, RequirementVerdict
from pipeline.protocol.tasks.coreference_link import in_chains
from pipeline.protocol.tasks.task import QuestionState, Task
from projects.long_table import ListColumn, TableFilter, choice_field
from projects.quality.answers import Said, answer_to, captions_of, disagrees, phrases_of, word, words_of_question


class AnswerFilter(TableFilter):
    """The fields of the list of answers."""

    task = choice_field("Task")
    kind = choice_field(
        "Answers", [("checked", "verification questions"), ("wrong", "wrong"), ("against", "not the outcome")]
    )


@dataclass(frozen=True, slots=True)
class AnswerBox:
    """A box on the picture: x, y, width, height, and its class in the style sheet."""

    x: int
    y: int
    width: int
    height: int
    look: str


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """One answer in words, with its picture."""

    judgment: Judgment
    image: Image
    words: str
    task: str
    phrases: list[str]
    answer: str
    verdict: str
    good: bool | None
    """Whether the answer was right, or became the outcome; None: that is not known."""
    frames: list[AnswerBox]


ANSWER_COLUMNS: tuple[ListColumn[ShownAnswer], ...] = (
    ListColumn("given", lambda one: one.judgment.created_at, "time", sort="id"),
    ListColumn("task", lambda one: one.task, "task", sort="assignment__task"),
    ListColumn("image", lambda one: one.image.name),
    ListColumn("phrases", lambda one: one.phrases),
    ListColumn("answer", lambda one: one.answer),
    ListColumn("verdict", lambda one: one.verdict),
    ListColumn("verification", lambda one: "yes" if one.judgment.known_id else "no"),
    ListColumn("seconds", lambda one: one.judgment.seconds, "seconds", sort="seconds"),
    ListColumn("comment", lambda one: one.judgment.comment),
)


def find_answers(project: Project, worker_id: int, task: str, kind: str) -> QuerySet[Judgment]:
    """Select the worker's answers."""
    rows = Judgment.objects.filter(worker=worker_id, assignment__project=project)
    if task:
        rows = rows.filter(assignment__task=task)
    if kind == "checked":
        rows = rows.filter(known__isnull=False)
    elif kind == "wrong":
        rows = rows.filter(right=False)
    elif kind == "against":
        rows = rows.filter(Q(question__isnull=False) & disagrees())
    return rows.select_related("question__image", "known__image", "assignment")


def shown_answers(rows: Sequence[Judgment]) -> list[ShownAnswer]:
    """Return the answers as they are shown, in one more statement."""
    asked = [row.question or row.known for row in rows]
    said = captions_of(question for question in asked if question is not None)
    found = []
    for row, question in zip(rows, asked, strict=True):
        assert question is not None  # a database constraint ensures one of them
        verdict, good = _verdict(row, said)
        found.append(
            ShownAnswer(
                judgment=row,
                image=question.image,
                words=words_of_question(question, said),
                task=Task(question.task).label,
                phrases=phrases_of(question, said),
                answer=answer_to(question, row.answer, said),
                verdict=verdict,
                good=good,
                frames=frames_of(question.shown, row.answer),
            )
        )
    return found


def _verdict(row: Judgment, shown: Said) -> tuple[str, bool | None]:
    if row.known is not None:
        return (
            ("right", True) if row.right else (f"wrong: {answer_to(row.known, row.known.truth, shown)} is right", False)
        )
    assert row.question is not None
    if row.question.state != QuestionState.CLOSED:
        return "not decided yet", None
    outcome, given = row.question.outcome, row.answer
    if row.question.task == Task.BOX_DRAWING or outcome == Cause.SWEPT:
        return f"outcome: {outcome}", None
    if row.question.task == Task.CAPTION_CHECK:
        return f"outcome: {outcome}", outcome == word(given)
    if row.question.task == Task.BOX_REQUIREMENT:
        return f"outcome: {outcome}", (outcome == RequirementVerdict.BOX) == (given == RequirementAnswer.BOX)
    return f"outcome: {outcome}", in_chains(outcome) == in_chains(given)


def frames_of(shown: dict[str, object], answer: object) -> list[AnswerBox]:
    """Return the boxes that a question shows, and the one that its answer drew."""
    boxes = [(box, "c0") for box in shown.get("boxes") or []]  # type: ignore[attr-defined]
    if shown.get("new_box"):
        boxes.append((shown["new_box"], "c1"))
    if isinstance(answer, dict) and answer.get("box"):
        boxes.append((answer["box"], "c3"))
    return [AnswerBox(x0, y0, x1 - x0, y1 - y0, look) for (x0, y0, x1, y1), look in boxes]
