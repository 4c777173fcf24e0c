"""The books of a campaign: the acknowledged answers against the tables, the limits, the leases and the replay."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from annotation.models import Image, Project
from exchange.import_dataset import import_dataset
from pipeline.asking.read_assignment import places_of
from pipeline.models import Assignment, Judgment, Progress, Question, Spending
from pipeline.money import spend_cap
from pipeline.project.settings_versions import open_project
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from runtime import clock
from tests.support.services import PATIENCE
from workers.models import Access, Worker
from workers.tokens import make_api_key

GRACE = timedelta(seconds=6)
"""A lease that ran out must have ended within this time: three ticks of a campaign."""
LEASE_MINUTES = 0.2
REWARD, CAP = 10, 10_000_000


def prepare(name: str, source: Path, workers: int, lease_minutes: float) -> list[str]:
    """Make the project of a campaign, its images from a source, and its trusted workers. Returns each one's API key."""
    settings = Settings(
        lease_minutes=lease_minutes,
        lease_most_minutes=lease_minutes * 4,
        reward_cents=dict.fromkeys(Settings().batch, REWARD),
        spend_cap_cents=CAP,
    )
    project = open_project(name=name, settings=settings)
    keys = []
    for number in range(workers):
        worker = Worker.objects.create(name=f"worker-{number}", kind=Worker.Kind.PERSON)
        Access.objects.bulk_create(Access(project=project, worker=worker, task=task) for task in settings.batch)
        keys.append(make_api_key(worker))
    import_dataset(project_name=name, path=source, gold=True)
    return keys


def check(name: str, submissions: Sequence[dict[str, Any]], images: int) -> dict[str, list[str]]:
    """Return what is wrong with the books, by kind; lists are empty if nothing is.

    `submissions`: the acknowledged ones. `images`: how many the imports reported or left to do. The books of a service
    that still has something to do are read again, for at most PATIENCE seconds.
    """
    end = time.monotonic() + PATIENCE
    while any((found := _read(name, submissions, images)).values()) and time.monotonic() < end:
        time.sleep(1)
    return found


def answers_left(name: str) -> list[str]:
    """Return the answers that are not folded within PATIENCE, while nobody answers."""
    waiting = Question.objects.filter(project__name=name, state="answered")
    end = time.monotonic() + PATIENCE
    while waiting.exists() and time.monotonic() < end:
        time.sleep(1)
    return [f"no tick folded the answer to question {number}" for number in waiting.values_list("id", flat=True)]


def _read(name: str, submissions: Sequence[dict[str, Any]], images: int) -> dict[str, list[str]]:
    project = Project.objects.get(name=name)
    found = {
        "lost": [*_lost(submissions)],
        "doubled": [*_doubled(project)],
        "money": [*_money(project, submissions)],
        "stuck": [*_stuck(project)],
        "images": [*_images(project, images)],
        "replay": [str(difference) for difference in replay(project)],
    }
    return {kind: problems[:20] for kind, problems in found.items()}


def _lost(submissions: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Find acknowledged answers that are not stored as they were sent."""
    for submission in submissions:
        assignment = Assignment.objects.filter(token=submission["token"]).first()
        if assignment is None or assignment.state != Assignment.State.SUBMITTED:
            yield f"assignment {submission['token']} was acknowledged and is {assignment and assignment.state}"
            continue
        stored = dict(Judgment.objects.filter(assignment=assignment).values_list("question_id", "answer"))
        for question, place in places_of(assignment).items():
            sent = submission["answers"][place]
            if question in stored and stored[question] != sent:
                yield f"answer {place} of {submission['token']}: sent {sent!r}, stored {stored[question]!r}"
        missing = len(submission["answers"]) - len(stored)
        if missing != submission["too_late"]:
            names = f"its receipt names {submission['too_late']} as too late"
            yield f"{missing} answers of {submission['token']} are not stored, {names}"


def _doubled(project: Project) -> Iterator[str]:
    """Find questions with more answers than their rule may get, and workers who answered a question twice."""
    rows = Judgment.objects.filter(question__project=project).values_list("question_id", "worker_id")
    for (question, worker), count in Counter(rows).items():
        if count > 1:
            yield f"question {question} has {count} answers of worker {worker}"
    single = Question.objects.filter(project=project, task__in=["box_drawing", "box_quality", "chain_verification"])
    answers = Counter(question for question, _ in rows)
    for number in single.values_list("id", flat=True):
        if answers[number] > 1:
            yield f"question {number} needs one answer and has {answers[number]}"


def _money(project: Project, submissions: Sequence[dict[str, Any]]) -> Iterator[str]:
    receipts = sum(submission["earned"] for submission in submissions)
    done = Assignment.objects.filter(project=project, state=Assignment.State.SUBMITTED)
    earned = sum(done.values_list("earned_cents", flat=True))
    if earned != receipts:
        yield f"receipts promise {receipts} cents, the assignments hold {earned}"
    kept = Spending.objects.filter(project=project).values_list("committed_cents", flat=True).first()
    if kept != spend_cap.committed(project.pk):
        yield f"the total says {kept} cents, the rows say {spend_cap.committed(project.pk)}"


def _stuck(project: Project) -> Iterator[str]:
    """Find leases that should have ended, questions on loan to nobody's work, and work that was forgotten."""
    late = Assignment.objects.filter(project=project, state="active", expires_at__lt=clock.now() - GRACE)
    yield from (f"the lease of assignment {number} never ended" for number in late.values_list("id", flat=True))
    questions = Question.objects.filter(project=project)
    held = questions.filter(state="open").exclude(assignment=None).exclude(assignment__state="active")
    yield from (
        f"open question {number} is on loan to a lease that ended" for number in held.values_list("id", flat=True)
    )
    waiting = questions.filter(state="answered")
    yield from (f"the answer to question {number} was never folded" for number in waiting.values_list("id", flat=True))
    due = Progress.objects.filter(project=project).exclude(due=Progress.Due.NOTHING)
    yield from (f"image {number} still waits: {what}" for number, what in due.values_list("image_id", "due"))


def _images(project: Project, images: int) -> Iterator[str]:
    there = Image.objects.filter(project=project)
    if there.count() != images:
        yield f"{there.count()} images instead of {images}"
    torn = there.filter(progress=None) | there.filter(mentions=None)
    yield from (f"image {name} is incomplete" for name in torn.values_list("name", flat=True))
    behind = Progress.objects.filter(project=project, image__state="linking", due=Progress.Due.NOTHING)
    open_images = Question.objects.filter(project=project).exclude(state="closed").values("image_id")
    forgotten = behind.exclude(image_id__in=open_images)
    yield from (
        f"image {number} is linking and asks nothing" for number in forgotten.values_list("image_id", flat=True)
    )
