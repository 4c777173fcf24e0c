"""The download of a worker's own data holds everything of theirs and tells no verification question from a real one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from labelling.own_data.take_out import own_data
from messaging.models import Conversation, Post
from pipeline.asking.receipt import Given, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Judgment
from tests.labelling.api.test_verification_hidden import SETTINGS, shape
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker, run_out
from tests.support.projects import worker
from tests.support.surveys import CHECK, foil, survey
from tests.support.trusting import given_to, kennel
from workers.messages import send_message
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def project() -> Project:
    # Half of the questions are verification questions, so that both kinds are among the answers whatever is drawn.
    return kennel(60, stock=60, settings=replace(SETTINGS, trusted_rate=0.5))


@pytest.fixture
def ada(project: Project) -> Worker:
    return with_account(worker(project, "ada"), "ada@example.org", "engine and loom")


def taken_out(who: Worker) -> Any:
    return json.loads("".join(own_data(who)))


def test_it_holds_account_pay_messages_and_each_answer_with_its_question(project: Project, ada: Worker) -> None:
    send_message(text="Thank you.", worker_ids=[ada.pk], project_id=project.pk)
    asked = Conversation.objects.create(worker=ada, project=project, subject="other")
    Post.objects.create(conversation=asked, text="Is it paid?")
    Post.objects.create(conversation=asked, text="Yes, it is.", actor="rita")
    replies = [Given(1), *[Given(3)] * 9]
    submit_assignment(assignment_id=given_to(project, ada).pk, worker_id=ada.pk, answers=replies)
    data = taken_out(ada)
    assert data["account"]["email"] == "ada@example.org"
    assert [one["text"] for one in data["messages"]] == ["Thank you."]
    (conversation,) = data["conversations"]
    assert [(post["from"], post["text"]) for post in conversation["posts"]] == [
        ("you", "Is it paid?"),
        ("requester", "Yes, it is."),
    ]
    assert "rita" not in json.dumps(data["conversations"])
    assert data["projects"][0]["pay"]["account"]["earned"] == data["assignments"][0]["earned_cents"] == 20
    first, second, *_ = data["assignments"][0]["answers"]
    assert (first["answer"], second["answer"]) == (1, 3)
    assert first["question"] == "Can you draw a box around what the phrase means?"
    assert first["captions"] == [{"text": "a dog", "phrases": ["a dog"]}]


def test_answers_and_skips_of_both_kinds_look_alike(project: Project, ada: Worker) -> None:
    for _ in range(4):
        assignment = given_to(project, ada)
        replies = [Skipped("unclear", "which?") if place % 2 else Given(1, 2.0, "") for place in range(10)]
        submit_assignment(assignment_id=assignment.pk, worker_id=ada.pk, answers=replies)
    assert Judgment.objects.filter(known__isnull=False).exists()
    assert Judgment.objects.filter(known=None).exists()
    for one in taken_out(ada)["assignments"]:
        assert (len(one["answers"]), len(one["skips"]), one["skipped"]) == (5, 5, 5)
        assert len({str(shape(row)) for row in one["answers"]}) == 1
        assert len({str(shape(row)) for row in one["skips"]}) == 1


def test_answers_that_came_too_late_are_left_out_so_that_those_to_known_questions_do_not_stand_out(
    project: Project, ada: Worker
) -> None:
    while not (late := given_to(project, ada)).known:
        submit_assignment(assignment_id=late.pk, worker_id=ada.pk, answers=[Given(1)] * 10)
    run_out({"token": late.token})
    Assignment.objects.filter(pk=late.pk).update(acceptance="refused")
    submit_assignment(assignment_id=late.pk, worker_id=ada.pk, answers=[Given(1)] * 10)
    assert Judgment.objects.filter(known__isnull=False).exists()
    one = taken_out(ada)["assignments"][-1]
    assert (one["answers"], one["too_late"]) == ([], 10)


def test_the_file_comes_as_a_download_and_not_without_end(ada: Worker, client: Client) -> None:
    assert ada.user is not None
    client.force_login(ada.user)
    answers = [client.get("/work/my-data/file/") for _ in range(6)]
    assert json.loads(b"".join(answers[0]))["account"]["name"] == "ada"  # type: ignore[arg-type]
    assert answers[0]["Content-Disposition"].startswith("attachment")
    assert [one.status_code for one in answers] == [200] * 5 + [429]


def test_it_holds_what_a_survey_asked(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0)])
    eve = worker(project, "eve", CHECK)
    api = ApiWorker(client, eve, project=project.name)
    work = api.ask(CHECK)
    api.submit(work, {"verdict": "wrong", "word": 1})
    (assignment,) = taken_out(eve)["assignments"]
    (answer,) = assignment["answers"]
    assert answer["answer"] == {"verdict": "wrong", "word": 1}
    assert answer["survey"] == {"caption": work["questions"][0]["survey"]["caption"]}
    assert answer["question"] == "Does every word of a caption fit its picture?"
