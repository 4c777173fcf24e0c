"""The download of a worker's own data, and the deletion of a worker, after which everything that counts stays equal."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from labelling.models import Conversation, Post
from labelling.own_data import StillAMemberError, forget_worker, own_data_as_json
from pipeline.asking.receipt import GivenAnswer, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Judgment
from pipeline.money.ledger import account_of
from pipeline.record.read_record import replay
from platforms.errors import UnknownVisitorError
from platforms.models import Identity, Session
from platforms.sessions import identity_of
from tests.labelling.api.test_verification_hidden import SETTINGS, shape
from tests.labelling.conftest import with_account
from tests.support.api import ApiWorker, run_out
from tests.support.money import ASK, paying, work
from tests.support.projects import lease, worker
from tests.support.recruiting import an_offer, asks, comes
from tests.support.surveys import CHECK, foil, survey
from tests.support.trusting import given_to, kennel
from workers.change_trust import change_trust
from workers.invitations import invite
from workers.messages import send_message
from workers.models import Access, ApiKey, Message, TrustChange, TrustStatus, Worker
from workers.rules.trust_states import TrustEvent
from workers.tokens import make_api_key, make_page_token

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
NAME = "lovelace"  # no random hexadecimal id can spell this, as some spell "ada"


@pytest.fixture
def project() -> Project:
    # Half of the questions are verification questions, so that both kinds are among the answers whatever is drawn.
    return kennel(60, stock=60, settings=replace(SETTINGS, trusted_rate=0.5))


@pytest.fixture
def ada(project: Project) -> Worker:
    return with_account(worker(project, "ada"), "ada@example.org", "engine and loom")


def taken_out(who: Worker) -> Any:
    return json.loads("".join(own_data_as_json(who)))


def test_it_holds_account_pay_messages_and_each_answer_with_its_question(project: Project, ada: Worker) -> None:
    send_message(text="Thank you.", worker_ids=[ada.pk], project_id=project.pk)
    asked = Conversation.objects.create(worker=ada, project=project, subject="other")
    Post.objects.create(conversation=asked, text="Is it paid?")
    Post.objects.create(conversation=asked, text="Yes, it is.", actor="rita")
    replies = [GivenAnswer(1), *[GivenAnswer(3)] * 9]
    submit_assignment(assignment_id=given_to(project, ada).pk, worker_id=ada.pk, answers=replies)
    data = taken_out(ada)
    assert data["account"]["email"] == "ada@example.org" and [one["text"] for one in data["messages"]] == ["Thank you."]
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
        replies = [Skipped("unclear", "which?") if place % 2 else GivenAnswer(1, 2.0, "") for place in range(10)]
        submit_assignment(assignment_id=assignment.pk, worker_id=ada.pk, answers=replies)
    assert Judgment.objects.filter(known__isnull=False).exists() and Judgment.objects.filter(known=None).exists()
    for one in taken_out(ada)["assignments"]:
        assert (len(one["answers"]), len(one["skips"]), one["skipped"]) == (5, 5, 5)
        assert len({str(shape(row)) for row in one["answers"]}) == 1
        assert len({str(shape(row)) for row in one["skips"]}) == 1


def test_late_answers_are_left_out_lest_those_to_known_questions_stand_out(project: Project, ada: Worker) -> None:
    while not (late := given_to(project, ada)).known:
        submit_assignment(assignment_id=late.pk, worker_id=ada.pk, answers=[GivenAnswer(1)] * 10)
    run_out({"token": late.token})
    Assignment.objects.filter(pk=late.pk).update(acceptance="refused")
    submit_assignment(assignment_id=late.pk, worker_id=ada.pk, answers=[GivenAnswer(1)] * 10)
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


@pytest.fixture
def left() -> Project:
    return paying()


@pytest.fixture
def leaver(left: Project) -> Worker:
    """A worker with an account who answered, appealed, and holds an assignment with a draft."""
    ada = with_account(worker(left, NAME), f"{NAME}@example.org", "engine and loom")
    work(left, ada)
    where: dict[str, Any] = {"worker_id": ada.pk, "project_id": left.pk, "task": ASK.value}
    change_trust(**where, event=TrustEvent.BAR, because="looked at", actor="boss")
    change_trust(**where, event=TrustEvent.APPEAL, because=f"I am {NAME} of Elm Street", actor=NAME)
    send_message(text=f"Dear {NAME}", worker_ids=[ada.pk])
    asked = Conversation.objects.create(worker=ada, project=left, subject="other")
    Post.objects.create(conversation=asked, text=f"I am {NAME}.")
    make_api_key(ada)
    return ada


def everything() -> str:
    """Every row of every table, as text."""
    from django.apps import apps

    rows = [model._default_manager.values_list() for model in apps.get_models()]
    return "\n".join(str(row) for table in rows for row in table)


def test_no_table_names_the_person_any_more(left: Project, leaver: Worker, client: Client) -> None:
    client.force_login(User.objects.get())
    boss, of_worker = User.objects.create_user("boss"), ContentType.objects.get_for_model(Worker)
    LogEntry.objects.create(
        user=boss, content_type=of_worker, object_id=str(leaver.pk), object_repr=NAME, action_flag=CHANGE
    )
    assert NAME in everything() and "Elm Street" in everything() and forget_worker(leaver.pk)
    for word in (NAME, "Elm Street", "example.org"):
        assert word not in everything()
    assert Worker.objects.get().name == f"deleted worker {leaver.pk}"
    assert client.get("/work/").status_code == 302, "the browser is signed out"


def test_answers_pay_trust_and_replay_stay_equal(left: Project, leaver: Worker) -> None:
    def kept() -> Any:
        trust = TrustChange.objects.order_by("id").values_list("id", "worker", "event", "old", "new", "created_at")
        tables = (Judgment.objects.order_by("id").values_list(), TrustStatus.objects.values_list(), trust)
        return [list(table) for table in tables], account_of(leaver.pk, left.pk)

    before = kept()
    forget_worker(leaver.pk)
    assert kept() == before and list(replay(left)) == []
    assert not (Access.objects.exists() or ApiKey.objects.exists() or Message.objects.exists())


def test_what_the_worker_held_goes_to_others_and_its_draft_is_gone(left: Project) -> None:
    ada = worker(left, "ada")
    held = lease(left, ada, ASK)
    Assignment.objects.update(draft={"comment": "mine"})
    forget_worker(ada.pk)
    held.refresh_from_db()
    assert (held.state, held.draft) == ("returned", None)
    assert lease(left, worker(left, "bob"), ASK).questions == held.questions


@pytest.mark.parametrize("credential", ["page without account", "page of a session", "key"])
def test_no_old_token_and_no_key_submits_afterwards(left: Project, credential: str) -> None:
    session = comes(an_offer(left))
    ada = session.worker
    token = {
        "page without account": f"Bearer {make_page_token(ada.pk)}",
        "page of a session": f"Bearer {make_page_token(ada.pk, session.pk)}",
        "key": f"Key {make_api_key(ada)}",
    }[credential]
    caller = ApiWorker(Client(), ada, authorization=token)
    held = caller.ask(ASK)
    forget_worker(ada.pk)
    answers = {"answers": [{"answer": 1}] * len(held["questions"])}
    calls = [
        caller.on(held, "submit", answers), caller.on(held, "draft", {"draft": [1]}, method="PUT"),
        caller.on(held, "heartbeat"), caller.on(held, "return"), caller.on(held, "", method="GET"),
        caller.call("GET", "projects/small/tasks/"), caller.call("POST", "session/finish/"),
    ]  # fmt: skip
    assert [status for status, _ in calls] == [401] * 7
    assert caller.call("POST", "projects/small/assignments/", {"task": ASK.value})[0] in (401, 403)
    assert not Judgment.objects.exists()


def test_an_account_that_an_administrator_deletes_takes_its_keys_along(left: Project) -> None:
    ada = with_account(worker(left, "ada"))
    program = ApiWorker(Client(), ada, authorization=f"Key {make_api_key(ada)}")
    page, boss = ApiWorker(Client(), ada), Client()
    boss.force_login(User.objects.create_superuser("boss"))
    assert boss.post(f"/admin/auth/user/{ada.user_id}/delete/", {"post": "yes"}).status_code == 302
    for caller in (program, page):
        assert caller.call("GET", "projects/small/tasks/")[0] == 401


def test_who_was_deleted_joins_anew_by_a_link_as_somebody_else(left: Project, leaver: Worker, client: Client):
    forget_worker(leaver.pk)
    form = {"username": NAME, "password1": "engine and loom", "password2": "engine and loom"}
    assert client.post(f"/join/{invite(project_id=left.pk).code}/", form)["Location"] == "/work/small/"
    assert Worker.objects.get(name=NAME).pk != leaver.pk


def test_a_platform_that_lists_a_deleted_worker_makes_no_second_one(left: Project) -> None:
    offer = an_offer(left)
    session = comes(offer, "W1")
    asks(session)
    forget_worker(session.worker_id)
    assert "W1" not in str(list(Identity.objects.values_list())) and identity_of("mturk", "W1").worker == session.worker
    assert identity_of("prolific", "W1").worker != session.worker and Session.objects.get().state == Session.State.LEFT
    with pytest.raises(UnknownVisitorError, match="You had your data here deleted"):
        comes(offer, "W1", "A2")


def test_the_account_of_a_member_is_not_deleted(left: Project, leaver: Worker) -> None:
    assert leaver.user is not None
    add_member(leaver.user, left, Role.REVIEWER)
    with pytest.raises(StillAMemberError):
        forget_worker(leaver.pk)
    assert Worker.objects.get().closed_at is None and User.objects.get().username == NAME


def test_deleting_twice_is_deleting_once(leaver: Worker) -> None:
    assert (forget_worker(leaver.pk), forget_worker(leaver.pk)) == (True, False)


@pytest.mark.usefixtures("leaver")
def test_the_command_says_what_is_owed_and_deletes_only_with_yes(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("forget_worker", NAME)
    assert "small still owes this worker 0.10" in capsys.readouterr().err and Worker.objects.get().name == NAME
    call_command("forget_worker", NAME, "--yes")
    assert Worker.objects.get().closed_at
    with pytest.raises(CommandError, match=f"no worker '{NAME}'"):
        call_command("forget_worker", NAME)
