"""Work of model annotators: what became of their answers, what they saved, how fast they were, and their silence."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from django.db.models import Avg, Count, Exists, Max, OuterRef, Q

from pipeline.models import Assignment, Judgment, Progress, Question, SettingsVersion
from pipeline.models.work import OF_SWEEPS
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import JUDGING, PROTOCOL_TASKS, QuestionState, Task
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH, USUAL_SECONDS
from projects.quality.program_answers import AnswerOutcome, ProgramAnswers
from runtime import clock
from workers.models import Access, Worker

MOST_IMAGES = 1000
"""The newest images with answers of programs, whose record is read."""
MOST_ASSIGNMENTS = 5000
"""The newest assignments of a program, from which its speed and its silence follow."""
PAUSE = timedelta(minutes=10)
"""A program that asks again within this time was at work in between."""
SILENCE = timedelta(hours=1)
"""A program that asks for nothing for longer was silent, if it was set to work and could have answered something."""
MOST_SILENCES = 20
"""The newest times without a request that are looked at."""
OPEN_LOOKED_AT = 200
QUESTION_KINDS = ("links", "boxes")
JUDGED = [task for task in PROTOCOL_TASKS if task in JUDGING]
TASKS = [task.value for task in JUDGED]
USUAL = {task: USUAL_SECONDS[task] / BATCH[task] for task in PROTOCOL_TASKS}


def program_work(project_id: int) -> dict[str, Any]:
    """Return the work of each program that answered, by its number; empty if none did.

    Times are in seconds, amounts in hundredths of the currency.
    """
    given = Judgment.objects.filter(question__project=project_id, worker__kind=Worker.Kind.PROGRAM)
    rows = given.filter(question__task__in=TASKS).order_by().values_list("worker", "question__task")
    counted = list(rows.annotate(number=Count("id"), waiting=Count("id", filter=Q(entry=None))))
    if not counted:
        return {}
    settings = current_settings(project_id)[1]
    newest = given.filter(question__task__in=TASKS).order_by().values("question__image").annotate(last=Max("id"))
    images = list(newest.order_by("-last").values_list("question__image", flat=True)[: MOST_IMAGES + 1])
    read = _read(images[:MOST_IMAGES], project_id, settings)
    whole, told = len(images) <= MOST_IMAGES, {}
    for program in sorted({worker for worker, *_ in counted}):
        told[str(program)] = {
            "tasks": [
                _of_task(read, program, task, number, waiting)
                for task in JUDGED
                for worker, given_to, number, waiting in counted
                if (worker, given_to) == (program, task.value)
            ],
            "saved": {kind: found for kind in QUESTION_KINDS if (found := read.saved(program, kind))},
            "whole": whole,
            **_speed(project_id, program),
        }
    return told


def _read(images: Sequence[int], project_id: int, settings: Settings) -> ProgramAnswers:
    cents = {task: settings.reward_cents[task.value] / settings.batch[task.value] for task in PROTOCOL_TASKS}
    found = ProgramAnswers(settings.model_annotators, seconds_of_people(project_id), cents)
    for (state,) in Progress.objects.filter(image__in=images).values_list("state").iterator(chunk_size=100):
        found.add(from_json(state))
    return found


def seconds_of_people(project_id: int) -> dict[Task, float]:
    """Return the mean seconds of an answer of people by task, as measured; the paper's where nothing was.

    Of links that is the answer to a pair: sweeps take longer, and programs answer none.
    """
    rows = Judgment.objects.filter(question__project=project_id, seconds__isnull=False).exclude(OF_SWEEPS)
    people = rows.exclude(worker__kind=Worker.Kind.PROGRAM).order_by().values_list("question__task")
    return {**USUAL, **{Task(task): mean for task, mean in people.annotate(mean=Avg("seconds"))}}


def _of_task(read: ProgramAnswers, program: int, task: Task, number: int, waiting: int) -> list[Any]:
    fates, held = read.outcomes[program], read.calibration[program]
    by_fate = [fates[task, fate] for fate in AnswerOutcome]
    return [task.value, number, *by_fate, waiting, held[task, False], held[task, True]]


# --- Speed and silence ---


class Turn(NamedTuple):
    """One assignment of a program."""

    leased: datetime
    answered: datetime
    answers: int
    task: str


def _speed(project_id: int, program: int) -> dict[str, Any]:
    own = Assignment.objects.filter(worker=program, project=project_id, task__in=TASKS)
    done = own.filter(state=Assignment.State.SUBMITTED, ended_at__isnull=False).order_by("-id")
    rows = done.values_list("created_at", "ended_at", "questions", "task")[:MOST_ASSIGNMENTS]
    turns = sorted(Turn(asked, ended, len(questions), task) for asked, ended, questions, task in rows if ended)
    if not turns:
        return {"an_hour": None, "median": None, "silences": []}
    silences = _silences(project_id, program, turns)
    return {
        "an_hour": answers_an_hour(turns),
        "median": median((turn.answered - turn.leased).total_seconds() for turn in turns),
        "silences": [[begin.isoformat(), end.isoformat()] for begin, end in silences],
    }


def answers_an_hour(turns: Sequence[Turn]) -> float | None:
    """Return the answers an hour while the program was at work; None if that took no time. `turns`: by time.

    Turns may overlap. A pause that is longer than `PAUSE` is no time of work.
    """
    busy, until = timedelta(), turns[0].leased
    for turn in turns:
        begin = until if turn.leased - until <= PAUSE else turn.leased
        busy += max(turn.answered - begin, timedelta())
        until = max(until, turn.answered)
    hours = busy.total_seconds() / 3600
    return sum(turn.answers for turn in turns) / hours if hours else None


def _silences(project_id: int, program: int, turns: Sequence[Turn]) -> Iterator[tuple[datetime, datetime]]:
    """Yield the times in which the program was set to work, could have answered and asked for nothing, newest first.

    Requests that brought no question are not kept, but for the last one; so only such times count in which a question
    was open for it.
    """
    own = Access.objects.filter(worker=program, project=project_id, asked_at__isnull=False)
    at_work, tasks = _at_work(project_id, program), {turn.task for turn in turns}
    asked = [*(turn.leased for turn in turns), *(at for at in own.values_list("asked_at", flat=True) if at)]
    times = sorted({*asked, *(turn.answered for turn in turns), *(begin for begin, _ in at_work)})
    gaps = reversed(list(zip(times, [*times[1:], clock.now()], strict=True)))
    both = ((max(begin, first), min(end, last)) for begin, end in gaps for first, last in at_work)
    for since, until in islice(((a, b) for a, b in both if b - a > SILENCE), MOST_SILENCES):
        if _could_answer(project_id, program, tasks, since, until):
            yield since, until


def _at_work(project_id: int, program: int) -> list[tuple[datetime, datetime]]:
    """Return the times in which the program was set to work, the newest first."""
    rows = SettingsVersion.objects.filter(project_id=project_id).order_by("version")
    found: list[tuple[datetime, datetime]] = []
    since: datetime | None = None
    for at, model_annotators in rows.values_list("created_at", "values__model_annotators"):
        is_set = program in (model_annotators or ())
        if is_set and since is None:
            since = at
        elif not is_set and since is not None:
            found.append((since, at))
            since = None
    if since is not None:
        found.append((since, clock.now()))
    return found[::-1]


def _could_answer(project_id: int, program: int, tasks: Collection[str], since: datetime, until: datetime) -> bool:
    """Tell whether a question was open for the program in this time: it is still, or was answered later."""
    asked = Question.objects.filter(project_id=project_id, task__in=tasks, opened_at__lt=until - SILENCE)
    answers = Judgment.objects.filter(question=OuterRef("pk"))
    if asked.filter(Exists(answers.filter(worker=program, created_at__gte=until))).exists():
        return True
    later = Exists(answers.filter(created_at__gt=since + SILENCE))
    rows = asked.filter(Q(state=QuestionState.OPEN.value) | later).order_by("-id").values_list("barred", "skipped")
    return any(program not in (*barred, *skipped) for barred, skipped in rows[:OPEN_LOOKED_AT])
