"""Many workers and two folders at once, each in a thread with a database connection of its own."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Count

from annotation.models import Project
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Entry, Judgment, Question
from pipeline.policies.workers_needed import workers_needed
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.intervene import report_problem
from pipeline.record.read_record import replay
from pipeline.tick import tick
from tests.support.projects import box, lease, phrases, project_of, submit, worker
from tests.support.race import NOTHING, Race
from tests.support.services import PATIENCE, wait_until
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.smoke, pytest.mark.django_db(transaction=True)]

ASK, WORKERS = Task.BOX_REQUIREMENT, 12
ANSWERS: dict[Task, list[Any]] = {
    Task.COREFERENCE_LINK: ["same", "different"], Task.CHAIN_VERIFICATION: ["true", "true", "false"],
    Task.BOX_REQUIREMENT: [1, 2, 3],
    Task.BOX_DRAWING: [box(5, 5, 90, 90), box(40, 10, 180, 80), {"none_missing": True}],
    Task.BOX_QUALITY: ["good", "good", "bad"], Task.BOX_COVERAGE: ["all there", "all there", "more needed"],
}  # fmt: skip


class Workers(Race):
    """Workers who answer, and others who fold; what they hold and what was stored is kept."""

    def __init__(self, project: Project, answers: dict[Task, list[Any]] = ANSWERS) -> None:
        super().__init__(project)
        self.answers = answers
        self.held: Counter[int] = Counter()
        self.stored: list[int] = []
        self.lock = threading.Lock()

    def hand_in(self, assignment: Assignment) -> Callable[[], None]:
        """Submit the assignment, perhaps a moment too late."""

        def body() -> None:
            given = {question: GivenAnswer(3) for question in assignment.questions}
            receipt = submit_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id, answers=given)
            with self.lock:
                self.stored += receipt.stored

        return body

    def work(self, who: Worker) -> Callable[[], object]:
        """A worker who takes a few questions of any task, and answers most of them."""
        lot = random.Random(who.name)

        def body() -> object:
            asked: dict[str, Any] = {"project_id": self.project.id, "worker_id": who.id, "size": lot.randint(1, 4)}
            tasks = lot.sample(PROTOCOL_TASKS, len(PROTOCOL_TASKS))
            assignment = next(filter(None, (lease_assignment(task=task, **asked) for task in tasks)), None)
            if assignment is None:
                return NOTHING
            task = Task(assignment.task)
            with self.lock:
                self.held.update(assignment.questions)
                assert all(self.held[question] == 1 for question in assignment.questions), "leased twice at once"
            time.sleep(lot.random() * 0.01)
            with self.lock:
                self.held.subtract(assignment.questions)
            if lot.random() < 0.1:
                return_assignment(assignment_id=assignment.id, worker_id=who.id)
                return None
            given = {question: GivenAnswer(lot.choice(self.answers[task])) for question in assignment.questions}
            if lot.random() < 0.2:
                given.popitem()
            for _ in range(2 if lot.random() < 0.2 else 1):  # an impatient page sends twice
                receipt = submit_assignment(assignment_id=assignment.id, worker_id=who.id, answers=given)
            with self.lock:
                self.stored += receipt.stored
            return None

        return body

    def fold(self) -> object:
        return None if apply_judgments(list(PROTOCOL_TASKS), project_id=self.project.id).judgments else NOTHING


def check(project: Project, stored: list[int]) -> None:
    """Check the promises that hold whatever ran at once."""
    tick(project_id=project.id)
    judgments = Judgment.objects.filter(question__project=project)
    assert Counter(judgments.values_list("question_id", flat=True)) == Counter(stored), "told stored, and stored once"
    assert judgments.filter(entry=None).count() == 0, "every judgment is in the record"
    assert Entry.objects.filter(project=project, kind="judgment").count() == judgments.count()
    most = {
        **dict.fromkeys(PROTOCOL_TASKS, 1),
        Task.COREFERENCE_LINK: workers_needed(current_settings(project.id)[1])[Task.COREFERENCE_LINK],
        Task.BOX_REQUIREMENT: 100,  # a tie goes on
        Task.BOX_COVERAGE: 3,
    }
    counts = Question.objects.filter(project=project).annotate(answers=Count("judgments"))
    assert [q.number for q in counts if q.answers > most[Task(q.task)]] == [], "more judgments than the rule needs"
    assert list(replay(project)) == []


def crowded() -> tuple[Project, list[Worker], Workers]:
    texts = ("people: a man", "people: the tall man", "people: a boy", "clothing: a hat", "clothing: the red hat")
    project = project_of(*(phrases(*texts, "animals: a dog", name=str(number)) for number in range(2)))
    return project, [worker(project, f"w{number}") for number in range(WORKERS)], Workers(project)


def dogs_and_workers(dogs: int, workers: int) -> tuple[Project, list[Worker], Workers]:
    project = project_of(*(phrases("animals: a dog", name=str(number)) for number in range(dogs)))
    return project, [worker(project, f"w{number}") for number in range(workers)], Workers(project)


@pytest.mark.slow
def test_twelve_workers_and_two_folders_at_once_lose_nothing_and_ask_nothing_too_often() -> None:
    project, people, race = crowded()
    race.run(*(race.work(who) for who in people), race.fold, race.fold)
    assert len(race.stored) >= 22, "three links and eight questions about boxes an image, if nobody disagrees"
    check(project, race.stored)


@pytest.mark.slow
def test_reports_that_close_questions_at_work_lose_no_answer() -> None:
    project, people, race = crowded()
    images, lot, told = list(project.images.values_list("id", flat=True)), random.Random(5), list[int]()

    def complain() -> object:
        if len(race.stored) <= 2 * len(told):
            return NOTHING
        told.append(lot.randrange(6))
        report_problem(image_id=lot.choice(images), what="mention", number=told[-1], worker_id=None, expert=True)
        return None

    race.run(*(race.work(who) for who in people), race.fold, race.fold, complain)
    check(project, race.stored)


def test_expiry_at_the_moment_of_submission_takes_each_answer_once() -> None:
    project, people, race = dogs_and_workers(12, 6)
    for _ in range(2):
        leased = [lease_assignment(project_id=project.id, worker_id=who.id, task=ASK, size=3) for who in people]
        held = [assignment for assignment in leased if assignment is not None]
        after = held[0].expires_at + timedelta(minutes=1)
        race.run_once(*(race.hand_in(one) for one in held), partial(expire_assignments, now=after))
        apply_judgments(list(PROTOCOL_TASKS), project_id=project.id)
    assert len(race.stored) >= 12
    check(project, race.stored)


def test_all_open_questions_are_given_out_when_many_ask_at_once() -> None:
    project, people, race = dogs_and_workers(WORKERS, WORKERS)
    given: list[int] = []

    def ask(who: Worker) -> None:
        assignment = lease_assignment(project_id=project.id, worker_id=who.id, task=ASK, size=1)
        assert assignment is not None, "there is a question for everybody"
        with race.lock:
            given.extend(assignment.questions)

    race.run_once(*(partial(ask, who) for who in people))
    assert sorted(given) == sorted(Question.objects.values_list("id", flat=True))


def test_a_worker_who_asks_twice_at_once_gets_one_assignment() -> None:
    project, (ada,), race = dogs_and_workers(20, 1)
    got: list[int] = []

    def ask() -> None:
        assignment = lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK, size=2)
        with race.lock:
            got.append(assignment.id if assignment else 0)

    race.run_once(*[ask] * 8)
    assert (len(got), len(set(got)), Assignment.objects.count()) == (8, 1, 1)


@pytest.mark.services
def test_a_second_submission_waits_until_the_first_is_stored(real_services: None) -> None:
    project = project_of(phrases("animals: a dog"))
    assignment = lease(project, worker(project, "ada"), ASK)
    receipts = []

    def submit_again() -> None:
        try:
            receipts.append(submit(assignment, 1))
        finally:
            connection.close()

    second = threading.Thread(target=submit_again)
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with transaction.atomic(), connection.cursor() as cursor:
        first = submit(assignment, 1)
        second.start()
        assert wait_until(lambda: cursor.execute(waiting) or cursor.fetchone()[0])
    second.join(PATIENCE)
    assert [one.repeated for one in (first, *receipts)] == [False, True] and Judgment.objects.count() == 1
