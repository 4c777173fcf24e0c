"""Examples of a task with their answers and why: seen before the test, and again at any time."""

from typing import Any

from annotation.models import Project
from labelling.api.payload import captions_of, question_shown
from pipeline.models import KnownQuestion
from pipeline.rules.tasks.task import Task

MOST = 20


def examples_of(project: Project, task: Task) -> list[dict[str, Any]]:
    """At most `MOST`, the first added first: what a page shows of a question, with `answer` and `explanation`.

    Costs two statements.
    """
    wanted = {"task": task.value, "purpose": KnownQuestion.Purpose.EXAMPLE, "retired_at": None}
    rows = list(KnownQuestion.objects.filter(project=project, **wanted).select_related("image").order_by("id")[:MOST])
    captions = captions_of(row.image_id for row in rows)
    return [
        {**question_shown(row, captions), "answer": right_answer(task, row.truth), "explanation": row.explanation}
        for row in rows
    ]


def right_answer(task: Task, truth: Any) -> Any:
    """An answer that is right. Of several boxes that are missing, drawing asks for one: it is the first."""
    if task is not Task.BOX_DRAWING:
        return truth
    return {"box": truth[0]} if truth else {"none_missing": True}
