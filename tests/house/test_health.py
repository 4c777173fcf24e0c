"""Health checks, as a monitor sees them, and the whole service on real parts: PostgreSQL, Redis and a Celery worker."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.utils import timezone

from pipeline.jobs import tick_job
from tests.support.services import wait_until
from upkeep.models import JobRun


def test_it_is_up_without_asking_the_database(client: Client) -> None:
    answer = client.get("/healthz", headers={"host": "some.other.name"})
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_it_is_ready_when_every_migration_is_applied(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["database"] == "ok"


@pytest.mark.django_db
def test_it_is_not_ready_while_a_migration_is_missing(client: Client) -> None:
    last = MigrationRecorder.Migration.objects.filter(app="sessions").latest("id")
    last.delete()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["migrations"] == "1 migrations are not applied: run 'manage.py migrate'"


@pytest.mark.django_db
@override_settings(
    REDIS_URL="redis://127.0.0.1:1/0",
    CACHES={"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}},
)
def test_it_is_not_ready_without_its_redis(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["redis"].startswith("no answer")


@pytest.mark.django_db
def test_it_is_not_ready_when_its_folder_cannot_be_written(client: Client, settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "gone"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["folder"] == f"{tmp_path}/gone cannot be written (No such file or directory)"


@pytest.mark.django_db
def test_it_is_not_ready_when_the_ticks_have_stopped(client: Client) -> None:
    tick_job()
    assert client.get("/readyz").json()["tick"] == "ok"
    JobRun.objects.filter(key="pipeline.tick").update(finished_at=timezone.now() - timedelta(minutes=20))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert re.match(r"the last one ended 12\d\d s ago", answer.json()["tick"])
    tick_job()
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_a_new_service_is_ready_before_its_first_tick(client: Client) -> None:
    JobRun.objects.filter(key="pipeline.tick").delete()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["tick"]) == (200, "none yet")


@pytest.mark.services
def test_a_job_runs_in_the_worker_process(celery_worker_process: Path) -> None:
    job = tick_job.delay()
    done = f"{job.id}] succeeded"
    assert wait_until(lambda: done in celery_worker_process.read_text()), celery_worker_process.read_text()


@pytest.mark.services
@pytest.mark.django_db
def test_the_database_is_postgresql_and_the_service_is_ready(real_services: None, client: Client) -> None:
    JobRun.objects.all().delete()
    answer = client.get("/readyz")
    assert connection.vendor == "postgresql"
    parts = {"database": "ok", "migrations": "ok", "redis": "ok", "folder": "ok", "tick": "none yet"}
    assert (answer.status_code, json.loads(answer.content)) == (200, parts)
