"""Fill a project with made-up rows, as many as the paper's data set has or fewer."""

import json
import time
from collections.abc import Callable
from typing import Any

from django.db import connection, transaction

from annotation.models import Project
from annotation.rules.states import ImageState as S
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from pipeline.settings_versions import open_project
from studies.large_project.around import around
from studies.large_project.kept_progress import progress
from studies.large_project.rows import statements
from upkeep import clock
from workers.models import Worker

REWARD = {task.value: 20 for task in PROTOCOL_TASKS}
TABLES = ("annotation_image", "annotation_caption", "pipeline_question", "pipeline_assignment")
"""The tables whose ids are computed: their sequences are moved on."""


def make_large_project(
    name: str, images: int, *, workers: int, say: Callable[[str], None], vacuum: bool = True
) -> Project:
    """Make the project, and say how long each table took. Raises ValueError on a database other than PostgreSQL."""
    if connection.vendor != "postgresql":
        raise ValueError("large_project fills PostgreSQL only: set DATABASE_URL, or use scripts/with_services.py.")
    project = open_project(name=name, settings=ProtocolSettings(reward_cents=REWARD, spend_cap_cents=10_000_000))
    begun = time.monotonic()
    with transaction.atomic(), connection.cursor() as cursor:
        # Foreign keys and triggers are not checked: ids are computed, and checking takes longer than writing.
        cursor.execute("SET LOCAL session_replication_role = replica")
        values = _values(project, images, workers)
        for table, sql in [*statements().items(), *around()]:
            started = time.monotonic()
            cursor.execute(sql, values)
            say(f"{table}: {cursor.rowcount:,} rows in {time.monotonic() - started:.1f} s")
        for table in TABLES:
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))")
    if vacuum:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    say(f"{images:,} images made in {time.monotonic() - begun:.0f} s")
    return project


def _values(project: Project, images: int, workers: int) -> dict[str, Any]:
    people = Worker.objects.bulk_create(Worker(name=f"{project.name} worker {place}") for place in range(workers))
    return {
        "project": project.pk,
        "images": images,
        "workers": workers,
        "worker": people[0].pk,
        "now": clock.now(),
        "tasks": [task.value for task in PROTOCOL_TASKS],
        **{state.value: json.dumps(progress(state)) for state in (S.MERGED, S.BOXING, S.LINKING)},
        **{table.split("_")[1]: _next_id(table) for table in TABLES},
    }


def _next_id(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")
        return int(cursor.fetchone()[0])
