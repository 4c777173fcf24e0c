"""Ids beyond 32 bits go through everything: leases, folds, checks, pages, exports and replay."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import reverse

from exchange.export_dataset import export_dataset
from pipeline.models import Judgment
from pipeline.project.settings_versions import checked_source
from pipeline.record.replay import replay
from tests.support.checked import checked_project
from workers.models import Worker

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]
FAR = 5_000_000_000


@pytest.fixture
def _far_ids(db: None) -> Iterator[None]:
    """Let the ids of all tables of ours begin beyond 2 ** 32. The places of PostgreSQL's sequences outlast a test."""
    tables = [
        model._meta.db_table for model in apps.get_models() if model._meta.pk.get_internal_type() == "BigAutoField"
    ]
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, FAR])
            else:
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, FAR])
    yield
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 1, false)", [table])


@pytest.mark.slow
@pytest.mark.usefixtures("_far_ids")
def test_a_check_whose_ids_are_beyond_32_bits(admin_client: Client, tmp_path: Path) -> None:
    project = checked_project(0, images=2)
    assert min(project.pk, Judgment.objects.earliest("pk").pk, Worker.objects.earliest("pk").pk) > FAR
    assert checked_source(project.pk) > FAR
    for page in (
        "check",
        "changes",
        "dashboard",
        "workers",
        "explore",
        "models",
        "review",
        "gold",
        "money",
        "settings",
    ):
        assert admin_client.get(reverse(f"campaign:{page}", args=[project.name])).status_code == 200, page
    assert admin_client.get(reverse("gallery:start"), follow=True).status_code == 200
    for name in ("jsonl", "coco"):
        export_dataset(project=project, target=tmp_path / name, export_format=name, include_unmerged=True)
    assert list(replay(project)) == []
