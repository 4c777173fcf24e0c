"""Metrics for Prometheus, who may read them, and the alert rules that use them."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config import metrics
from pipeline.jobs import tick_job
from pipeline.models import Assignment, Question
from pipeline.money.give_bonus import give_bonus
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.services import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "only-for-tests-and-long-enough"
STATEMENTS = 12
"""The most statements for the metrics of one project."""


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    metrics.forget()
    yield
    metrics.forget()


def values(client: Client) -> dict[tuple[str, ...], float]:
    """Return the value of each metric by its name and its labels' values, in the order of the labels' names."""
    response = client.get("/metrics")
    assert response.status_code == 200, response.content
    families = text_string_to_metric_families(response.content.decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


@pytest.mark.django_db
def test_it_reports_questions_leases_judgments_and_the_tick(client: Client) -> None:
    before = values(client).get(("chainbox_judgments_total",), 0)
    texts = ("people: a man", "people: a person")
    project = project_of(phrases(*texts, name="1"), phrases(*texts, name="2"))
    old = timezone.now() - timedelta(hours=2)
    Question.objects.filter(project=project).update(opened_at=old)
    ann, bob = worker(project, "ann"), worker(project, "bob")
    submit(lease(project, ann, Task.COREFERENCE_LINK, size=1), "same")
    lease(project, bob, Task.COREFERENCE_LINK, size=1)
    tick_job()
    metrics.forget()
    found = values(client)
    waiting = Question.objects.filter(project=project, task="coreference_link", state="open")
    assert found["chainbox_questions", "open", "coreference_link"] == waiting.count()
    assert found["chainbox_questions", "open", "box_drawing"] == 0
    assert found[("chainbox_leases",)] == 1
    assert found[("chainbox_leases_overdue",)] == 0
    assert found[("chainbox_judgments_total",)] > before
    assert 0 <= found[("chainbox_last_tick_age_seconds",)] < PATIENCE
    Assignment.objects.filter(worker=bob).update(expires_at=old)
    metrics.forget()
    assert values(client)[("chainbox_leases_overdue",)] == 1


@pytest.mark.both_engines
@pytest.mark.django_db
def test_it_reports_the_age_of_the_oldest_question_of_each_task(client: Client) -> None:
    project = project_of(phrases("people: a man", "people: a person"))
    Question.objects.filter(project=project).update(opened_at=timezone.now() - timedelta(hours=2))
    metrics.forget()
    assert values(client)["chainbox_oldest_question_seconds", "coreference_link"] == pytest.approx(7200, abs=PATIENCE)


@pytest.mark.django_db
def test_it_reports_money_by_currency(client: Client) -> None:
    project = project_of(phrases("people: a man", "people: he"), settings=ProtocolSettings(currency="EUR"))
    ann = worker(project, "ann")
    submit(lease(project, ann, Task.COREFERENCE_LINK, size=1), "same")
    give_bonus(worker_id=ann.id, project_id=project.id, cents=250, reason="thanks", actor="me")
    found = values(client)
    money = [found[f"chainbox_{name}_cents", "EUR"] for name in ("earned", "paid", "owed")]
    assert money == [250, 0, 250]


@pytest.mark.django_db
def test_a_scrape_costs_few_statements_and_the_next_one_none(client: Client) -> None:
    project_of(phrases("people: a man", "people: a person"))
    with CaptureQueriesContext(connection) as first:
        values(client)
    assert len(first) <= STATEMENTS, [one["sql"] for one in first]
    with CaptureQueriesContext(connection) as second:
        values(client)
    assert len(second) == 0


@pytest.mark.django_db
def test_only_this_machine_and_programs_with_the_token_read_it(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="::ffff:127.0.0.1").status_code == 200
    for address in ("10.0.0.7", "2001:db8::1", ""):
        assert client.get("/metrics", REMOTE_ADDR=address).status_code == 403
    settings.METRICS_TOKEN = TOKEN
    far: dict[str, Any] = {"REMOTE_ADDR": "10.0.0.7"}
    assert client.get("/metrics", **far).status_code == 403
    assert client.get("/metrics", headers={"authorization": "Bearer no"}, **far).status_code == 403
    assert client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}, **far).status_code == 200


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip"])
def test_a_visitor_behind_the_proxy_of_this_machine_is_refused(client: Client, header: str) -> None:
    response = client.get("/metrics", headers={header: "203.0.113.9"})
    assert response.status_code == 403
    assert b"METRICS_TOKEN" in response.content


def test_a_dead_database_is_a_plain_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> bytes:
        raise OperationalError("gone")

    monkeypatch.setattr(metrics, "exposition", fail)
    response = client.get("/metrics")
    assert (response.status_code, response.content) == (503, b"The database gives no answer (OperationalError).\n")


@pytest.mark.django_db
def test_every_alert_rule_uses_metrics_that_exist_and_tells_what_to_do(client: Client) -> None:
    groups = yaml.safe_load((ROOT / "docs/how-to/alerts.yml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 5
    text = client.get("/metrics").content.decode()
    exported = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    for rule in rules:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert re.fullmatch(r"\d+[smhd]", rule["for"])
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "action"}
        named = set(re.findall(r"chainbox_\w+", rule["expr"]))
        assert named <= exported, rule["alert"]
        assert named or "up{" in rule["expr"]


@pytest.mark.services
def test_it_counts_the_jobs_that_wait_in_redis(client: Client, real_services: None, db: None) -> None:
    from redis import Redis

    from config.celery import app

    app.control.purge()
    with Redis.from_url(app.conf.broker_url) as broker:
        broker.rpush("celery", "one")
        broker.rpush("long", "two")
        try:
            found = values(client)
        finally:
            broker.delete("celery", "long")
    assert found["chainbox_jobs", "waiting"] == 2
