"""Old rows: each table says whether its rows go, and what goes is neither an answer, nor the record, nor money."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from accounts.models import MemberInvitation, SecurityEvent
from annotation.models import Project
from config.environment import DAYS, read_environment
from config.jobs import prune_job
from config.retention import BY_OTHERS, KEPT_FOREVER, RULES, prune_all
from labelling.models import OutgoingMail, SignIn
from pipeline.models import Assignment, Transition
from pipeline.models.append_only import TABLES
from pipeline.protocol.tasks.task import Task
from projects.models import Alert, AlertChannel, Delivery, ImportProblem
from runtime import clock
from runtime.models import JobRun
from tests.support import service_settings
from tests.support.empty_place import read
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.runs import some_run
from tests.support.table import row
from workers.models import Message

LONG = timedelta(days=max(days for days in DAYS.values() if days) + 1)


def test_every_table_is_kept_for_ever_or_has_a_rule_and_operators_are_told_the_days() -> None:
    kept = [label for labels in KEPT_FOREVER.values() for label in labels]
    ruled = {rule.model._meta.label for rule in RULES if not rule.emptied}
    named = [*kept, *ruled, *BY_OTHERS]
    assert sorted(named) == sorted(model._meta.label for model in apps.get_models(include_auto_created=True))
    assert {rule.name for rule in RULES} == set(DAYS)
    assert service_settings.OF_OLD_ROWS.page.read_text() == service_settings.page_of_old_rows()


def test_no_rule_deletes_what_is_only_ever_added_but_moves_which_the_record_tells_too() -> None:
    assert {rule.model._meta.db_table for rule in RULES} & set(TABLES) == {Transition._meta.db_table}


@pytest.fixture
def answered(db: None) -> Project:
    """A project with answers, moves and pay, which has been finished."""
    project = project_of(phrases("people: a man", "people: a person", "people: he", "scene: a park"), name="small")
    for name in ("ann", "bob"):
        answer(project, worker(project, name), Task.COREFERENCE_LINK, "same")
    Project.objects.update(state="finished")
    return project


def make_rows(project: Project, at: datetime, name: str) -> None:
    """Make a row for every rule that is over at this time."""
    user = User.objects.create(username=name)
    who = worker(project, name)
    Session.objects.create(session_key=name, session_data="", expire_date=at)
    SignIn.objects.create(user=user, session_key=name, password_end="x")
    UserSession.objects.create(user=user, session_key=name, ip="192.0.2.7", user_agent="a browser")
    lease = {"questions": [], "created_at": at, "expires_at": at, "ended_at": at, "state": "expired", "draft": [name]}
    Assignment.objects.create(project=project, worker=who, task=Task.BOX_QUALITY.value, **lease)
    JobRun.objects.create(key=name, job="x", state="done", finished_at=at)
    MemberInvitation.objects.create(project=project, to=name, code=name, made_by=user, expires_at=at)
    alert = Alert.objects.create(project=project, kind="x", count=1, began_at=at, settled_at=at)
    channel = AlertChannel.objects.create(project=project, kind="mail", user=user)
    Delivery.objects.create(alert=alert, channel=channel, state="sent", due_at=at)
    run = some_run(project, user=user, state="done", begun_at=at, ended_at=at)
    ImportProblem.objects.create(run=run, file="x", message=name)
    Message.objects.create(worker=who, project=project, text=name, read_at=at)
    Message.objects.filter(text=name).update(created_at=at)
    SecurityEvent.objects.all().delete()  # that of the membership
    SecurityEvent.objects.create(kind="keys", what=name, result="made", at=at, last_at=at)
    OutgoingMail.objects.create(to=f"{name}@example.org", subject=name, state="sent", made_at=at)
    kind = ContentType.objects.get_for_model(Project)
    LogEntry.objects.create(user=user, content_type=kind, object_repr=name, action_flag=CHANGE, action_time=at)


def standing() -> dict[str, int]:
    """Return the number of rows that each rule could ever take, by rule."""
    never = clock.now() + timedelta(days=10_000)
    return {str(rule): rule.due(rule.model._default_manager.all(), never).count() for rule in RULES}


def record() -> dict[str, list[Any]]:
    with connection.cursor() as cursor:
        tables = [*(set(TABLES) - {Transition._meta.db_table}), "pipeline_question", "annotation_chain"]
        return {table: read(cursor, table) for table in tables}


@pytest.mark.both_engines
def test_what_is_old_goes_and_the_rest_and_the_record_stay(answered: Project) -> None:
    before, now = record(), clock.now()
    make_rows(answered, now - LONG, "old")
    make_rows(answered, now - timedelta(days=1), "new")
    Session.objects.filter(session_key="new").update(expire_date=now + timedelta(days=1))
    prune_all()
    left = standing()
    assert {name: count for name, count in left.items() if count != 1} == {
        "sessions: sign ins": 0,
        "sessions: user sessions": 0,  # the session of the other one still counts
        "moves: transitions": Transition.objects.filter(machine__in=("chain", "box")).count(),
    }
    assert list(Assignment.objects.exclude(draft=None).values_list("draft", flat=True)) == [["new"]]
    assert SignIn.objects.get().session_key == JobRun.objects.get(job="x").key == "new"
    assert Transition.objects.filter(machine="chain").exists()
    prune_all(now=now + LONG)
    assert set(standing().values()) == {0}
    assert Transition.objects.filter(machine="question").exists()
    assert {name: rows[: len(before[name])] for name, rows in record().items()} == before
    call_command("replay", "small")


def test_moves_of_a_project_that_goes_on_stay_and_off_keeps_all(answered: Project, settings: Any) -> None:
    moves = Transition.objects.count()
    settings.RETENTION = {**DAYS, "moves": None}
    prune_all(now=clock.now() + LONG)
    settings.RETENTION = DAYS
    Project.objects.update(state="running")
    prune_all(now=clock.now() + LONG)
    assert Transition.objects.count() == moves


def test_it_goes_in_steps_can_be_stopped_and_goes_on(
    db: None, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr("config.retention.STEP", 10)
    at = clock.now() - LONG
    Session.objects.bulk_create(Session(session_key=f"{n:03}", session_data="", expire_date=at) for n in range(25))
    steps: list[int] = []
    assert prune_all(seconds=0, step=lambda rule, rows: steps.append(rows)) == 10
    assert steps == [10] and Session.objects.count() == 15
    with django_assert_max_num_queries(2 * 3 + 2 * len(RULES)):
        prune_all(step=lambda rule, rows: steps.append(rows))
    assert steps[1:4] == [10, 5, 0] or steps[1:3] == [10, 5]
    assert Session.objects.count() == 0


def test_the_job_and_the_command_do_the_same_and_say_what_is_due(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    at = clock.now() - LONG
    Session.objects.create(session_key="old", session_data="", expire_date=at)
    call_command("prune", "--look")
    assert "sessions: sessions: 1 before" in capsys.readouterr().out and Session.objects.count() == 1
    call_command("prune")
    assert "sessions: sessions: 1\n" in capsys.readouterr().out and Session.objects.count() == 0
    Session.objects.create(session_key="old", session_data="", expire_date=at)
    prune_job()
    assert Session.objects.count() == 0


@row("sesions=3", "RETENTION has the name 'sesions': choose from sessions, drafts, ")
@row("sessions=0", "RETENTION has 'sessions=0': write days, as in sessions=90, or sessions=off to keep all.")
@row("sessions", "RETENTION has 'sessions': write days")
def test_a_wrong_setting_is_named(text: str, why: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=re.escape(why)):
        read_environment({"RETENTION": text})
    found = read_environment({"RETENTION": "sessions=30, moves=off"}).RETENTION
    assert found == {**DAYS, "sessions": 30, "moves": None}
