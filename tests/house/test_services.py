"""The whole service on real parts: PostgreSQL, Redis and a Celery worker in a process of its own."""

import json
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client

from pipeline.jobs import tick_job
from tests.support.services import wait_until
from upkeep.models import JobRun


@pytest.mark.services
def test_a_job_runs_in_the_worker_process(celery_worker_process: Path) -> None:
    job = tick_job.delay()
    done = f"{job.id}] succeeded"
    assert wait_until(lambda: done in celery_worker_process.read_text(), seconds=30), celery_worker_process.read_text()


@pytest.mark.services
@pytest.mark.django_db
def test_the_database_is_postgresql_and_the_service_is_ready(real_services: None, client: Client) -> None:
    JobRun.objects.all().delete()
    answer = client.get("/readyz")
    assert connection.vendor == "postgresql"
    parts = {"database": "ok", "migrations": "ok", "redis": "ok", "folder": "ok", "tick": "none yet"}
    assert (answer.status_code, json.loads(answer.content)) == (200, parts)
