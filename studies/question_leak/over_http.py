"""The study over HTTP: workers answer, and boosted trees try to tell what is known by all that browsers receive."""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import lcm

import numpy as np

from annotation.models import Image, Project
from pipeline.models import Assignment, Question
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from studies.http_load.http_workers import ANSWERS, Connection
from studies.http_load.loads import LEAST, add_known, clone_image, open_questions, template_of
from studies.question_leak.browser_view import Browser, Row
from studies.question_leak.evidence import Evidence, strongest
from studies.question_leak.world import admit as trusted
from workers.page_token import make_page_token

STOCK = 200
"""Verification questions of each task: more than a worker meets."""
EACH = 4
"""Questions of each image that are left to people."""
FOLDS = 5
LATER_MS = 5.0
TREES = "boosted trees"


@dataclass(slots=True)
class Seen:
    """Everything that the browsers received, a row for each question, and from the database whether each was known."""

    rows: list[Row] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    workers: list[int] = field(default_factory=list)
    assignments: list[int] = field(default_factory=list)


def prepare(name: str, tasks: Sequence[Task], images: int, rate: float) -> Project:
    """Make a project of these images per task, with a stock of questions about other images made the same way.

    Both kinds of questions ask alike, so that only the service's handling can tell them apart.
    """
    project = open_project(name=name, settings=Settings(trusted_rate=rate, minimum=LEAST))
    others = open_project(name=f"{name}-others")
    for task in tasks:
        for into, wanted in ((project, images), (others, STOCK)):
            clone_image(template_of(task), into, _evenly(task, wanted), into.images.count(), spread=False)
    _name_pictures(project, tasks, 10_020)
    _name_pictures(others, tasks, 40_020)
    for task in tasks:
        add_known(project, task, _of_every_sort(others, task, 1))
        _thin_out(project, task)
    return project


def _name_pictures(project: Project, tasks: Sequence[Task], first: int) -> None:
    """Give each image a picture name of its own; the numbers of a task's images are in random order."""
    for turn, task in enumerate(tasks):
        some = list(project.images.filter(questions__task=task.value).distinct().order_by("position"))
        numbers = random.Random(f"{project.name} {turn}").sample(range(first, first + len(some)), len(some))
        for image, number in zip(some, numbers, strict=True):
            image.picture = f"originals/{turn:02}/{number}.jpg"
        Image.objects.bulk_update(some, ["picture"], batch_size=500)


def _evenly(task: Task, wanted: int) -> int:
    """Round the number of images up until all sorts of questions and all remainders of numbers are equally frequent."""
    part = lcm(open_questions(template_of(task).project, task).count(), 30)
    return -(-wanted // part) * part


def _thin_out(project: Project, task: Task) -> None:
    """Leave EACH questions of every image to people: about as many as a real image has open at a time."""
    chosen = {question.id for question in _of_every_sort(project, task, EACH)}
    rows = Question.objects.filter(project=project, task=task.value).exclude(id__in=chosen)
    rows.update(for_people=False)


def _of_every_sort(project: Project, task: Task, each: int) -> list[Question]:
    """Choose `each` questions of every image, each of the template's questions equally often.

    A random stock would hold more of one sort than of another, and that alone would tell the two kinds apart.
    """
    by_image: dict[int, list[Question]] = defaultdict(list)
    for question in open_questions(project, task):
        by_image[question.image_id].append(question)
    chosen, turn = [], 0
    for image in random.Random(f"{project.name} {task}").sample(sorted(by_image), len(by_image)):
        questions = sorted(by_image[image], key=lambda question: question.number)
        chosen += [questions[(turn + place) % len(questions)] for place in range(each)]
        turn += each
    return chosen


def admit(project: Project, count: int, tasks: Sequence[Task]) -> list[tuple[int, str]]:
    """Make `count` trusted workers, each for one task. Returns the id and the bearer token of each."""
    made = [trusted(project, f"{project.name}-{n:03}", [tasks[n % len(tasks)]]) for n in range(count)]
    return [(worker.id, make_page_token(worker.id)) for worker in made]


def collect(
    port: int,
    project: Project,
    crew: Sequence[tuple[int, str]],
    tasks: Sequence[Task],
    wanted: int,
    step: Callable[[int], object] = lambda questions: None,
) -> Seen:
    """Let the workers take turns, one at a time, in random order: no worker waits because of another."""
    seen, rng = Seen(), random.Random("turns")
    browsers = {worker: Browser() for worker, _ in crew}
    with ExitStack() as stack:
        links = {worker: stack.enter_context(Connection(port, bearer)) for worker, bearer in crew}
        for number in _turns(len(crew), rng):
            worker = crew[number][0]
            _assignment(links[worker], project, worker, tasks[number % len(tasks)], browsers[worker], seen, rng)
            step(len(seen.rows))
            if len(seen.rows) >= wanted:
                return seen
    raise AssertionError("turns never end")


def _turns(count: int, rng: random.Random) -> Iterator[int]:
    while True:
        yield from rng.sample(range(count), count)


def _assignment(
    link: Connection, project: Project, worker: int, task: Task, browser: Browser, seen: Seen, rng: random.Random
) -> None:
    waited, work = link.post(f"projects/{project.name}/assignments/", {"task": task.value})
    assignment = work["assignment"]
    if assignment is None:
        raise RuntimeError(f"Nothing is open for worker {worker}: {work['message']}")
    rows = browser.rows(assignment, waited, len(json.dumps(work)))
    answers, odds = ANSWERS[task]
    given = [{"answer": rng.choices(answers, odds)[0], "seconds": 7.5} for _ in rows]
    sent, receipt = link.post(f"assignments/{assignment['token']}/submit/", {"answers": given})
    kept = Assignment.objects.get(token=assignment["token"])
    for place, row in enumerate(rows):
        row |= {"submit seconds": sent, "submit bytes": float(len(json.dumps(receipt))), "stored": receipt["stored"]}
        seen.rows.append(row)
        seen.known.append(str(place) in kept.known)
        seen.workers.append(worker)
        seen.assignments.append(kept.id)


def try_to_tell(rows: Sequence[Row], known: Sequence[bool], workers: Sequence[int]) -> Evidence:
    """Compare all that was seen, and what boosted trees make of all of it together, with which questions were known.

    The trees are cross-validated by worker: a worker's questions are judged by trees that have not seen any of them.
    """
    # To import it takes longer than most tests, and each process of a run reads all of them.
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.model_selection import GroupKFold, cross_val_predict
    except ModuleNotFoundError as error:
        raise RuntimeError("The classifier needs scikit-learn: run `make setup`.") from error

    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    truth, groups = np.array(known), np.array(workers)
    model = HistGradientBoostingClassifier(max_iter=100, learning_rate=0.08, max_leaf_nodes=15, random_state=0)
    folds = GroupKFold(FOLDS, shuffle=True, random_state=0)
    odds = cross_val_predict(model, table, truth, groups=groups, cv=folds, method="predict_proba")[:, 1]
    judged = [{**row, TREES: float(chance)} for row, chance in zip(rows, odds, strict=True)]
    return strongest(judged, [float(one) for one in known], workers)


def later(
    rows: Sequence[Row], known: Sequence[bool], assignments: Sequence[int], milliseconds: float = LATER_MS
) -> list[Row]:
    """Plant a delay: assignments with a verification question arrive this much later."""
    slow = {assignment for assignment, is_known in zip(assignments, known, strict=True) if is_known}
    return [
        {**row, "ask seconds": row["ask seconds"] + milliseconds / 1000 * (assignment in slow)}
        for row, assignment in zip(rows, assignments, strict=True)
    ]


def even(rows: Sequence[Row], known: Sequence[bool]) -> list[Row]:
    """Plant a pattern: the number in the picture's name is even for every verification question."""
    return [
        {**row, "url number mod 2": 0.0 if is_known else row["url number mod 2"]}
        for row, is_known in zip(rows, known, strict=True)
    ]
