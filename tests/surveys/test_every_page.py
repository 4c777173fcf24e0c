"""Every page that shows projects, images, questions, answers or workers opens for a survey, too."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import Survey
from pipeline.asking.receipt import Given, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Entry, Judgment, KnownQuestion, Question
from pipeline.project.settings_versions import open_project
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.intervene import report_problem, void_judgments
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState, Task
from pipeline.stock.promote_question import promote_question
from reports.detect_signals import detect_signals
from reports.estimate_skills import estimate_skills
from tests.support.projects import lease, worker
from tests.support.surveys import ATOM, CHECK, atom, foil, survey
from workers.models import Worker

pytestmark = pytest.mark.django_db
OF_PROJECT = (
    *("results", "results_live", "items", "settings", "delete", "data", "dashboard", "words", "alerts", "gold"),
    *("ledger", "workers", "invitations", "money", "recruit", "known_questions"),
)
OF_WORKER = ("labelling:project", "labelling:earned", "labelling:messages")
ADMIN = (
    *("annotation_project", "annotation_image", "pipeline_question", "pipeline_knownquestion", "pipeline_judgment"),
    *("pipeline_assignment", "pipeline_entry", "pipeline_transition", "pipeline_skip", "pipeline_progress"),
    *("workers_truststatus", "workers_access", "workers_trustchange", "workers_worker"),
)


@pytest.fixture(params=[CHECK, ATOM])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A survey with answers of all kinds: counting, voided, late, to verification questions, skipped."""
    task: Task = request.param
    kind, settings = Survey(task.value), ProtocolSettings(test_questions=0, trusted_rate=1.0, survey_votes=1)
    open_project(name="survey", survey=kind, settings=settings)
    lines = [foil(number) for number in range(12)]
    if task is ATOM:
        lines = [atom(f"word {number}", **({"visual": "no"} if number < 4 else {})) for number in range(12)]
    project = survey(tmp_path, lines, task, known=4)
    said = "yes" if task is ATOM else {"verdict": "wrong", "word": 1, "right": "cat"}
    for name in ("ada", "bob"):
        who = worker(project, name, task)
        who.user = User.objects.create_user(name)
        who.save()
        work = lease(project, who, task, size=6)
        replies: list[Reply] = [Given(said, 2.0, "a comment")] * work.size
        replies[-1] = Skipped("unclear", "too small")
        submit_assignment(assignment_id=work.id, worker_id=who.pk, answers=replies)
        fold_judgments(project_id=project.pk)
    image = Judgment.objects.filter(question__isnull=False).order_by("id")[0]
    assert image.question
    report_problem(image_id=image.question.image_id, what="image", number=0, worker_id=None, expert=True)
    void_judgments(image_id=image.question.image_id, judgment_ids=[image.pk], reason="a test", actor="boss")
    estimate_skills(project_id=project.pk)
    detect_signals(project.pk)
    return project


@pytest.fixture
def boss(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("boss"))
    return client


def opens(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code in (200, 302), (address, answer.status_code)
    return "" if answer.streaming else answer.content.decode()


@pytest.mark.slow
def test_the_pages_of_requesters(project: Project, boss: Client) -> None:
    image = Question.objects.filter(judgments__isnull=False)[0].image_id
    ada = Worker.objects.get(name="ada")
    opens(boss, reverse("gallery:start"))
    opens(boss, reverse("gallery:project", args=[project.name]))
    opens(boss, reverse("gallery:image", args=[project.name, image]))
    for name in OF_PROJECT:
        opens(boss, reverse(f"campaign:{name}", args=[project.name]))
    page = opens(boss, reverse("campaign:worker", args=[project.name, ada.pk]))
    assert "wrong" in page or "yes" in page
    settings = opens(boss, reverse("campaign:settings", args=[project.name]))
    assert 'name="survey_votes"' in settings
    assert f'name="batch.{project.survey}"' in settings
    assert 'name="batch.box_quality"' not in settings and 'name="merge_iou"' not in settings


@pytest.mark.slow
def test_the_admin(project: Project, boss: Client) -> None:
    for name in ADMIN:
        opens(boss, reverse(f"admin:{name}_changelist"))
    for model, row in (
        ("pipeline_question", Question.objects.filter(judgments__isnull=False)[0].pk),
        ("pipeline_knownquestion", KnownQuestion.objects.filter(judgments__isnull=False)[0].pk),
        ("pipeline_judgment", Judgment.objects.all()[0].pk),
        ("pipeline_entry", Entry.objects.filter(kind="ask")[0].pk),
    ):
        opens(boss, reverse(f"admin:{model}_change", args=[row]))


def test_the_pages_of_workers(project: Project, client: Client) -> None:
    client.force_login(User.objects.get(username="ada"))
    opens(client, reverse("labelling:home"))
    for name in OF_WORKER:
        opens(client, reverse(name, args=[project.name]))
    opens(client, reverse("labelling:work", args=[project.name, project.survey]))
    opens(client, reverse("labelling:own_data"))
    opens(client, reverse("labelling:take_out"))


def test_commands_and_monitors(project: Project, client: Client, tmp_path: Path) -> None:
    for command in ("stock", "skills", "signals", "ledger"):
        call_command(command, project.name)
    call_command("export_dataset", project.name, str(tmp_path / "whole.jsonl"), format="jsonl")
    assert '"item"' in (tmp_path / "whole.jsonl").read_text()
    call_command("replay", project.name)
    assert not list(replay(project))


def test_a_closed_question_can_become_a_known_one(project: Project) -> None:
    question = Question.objects.filter(state=QuestionState.CLOSED.value).exclude(outcome="starved")[0]
    made = promote_question(question_id=question.pk, actor="boss")
    assert made.task == project.survey
