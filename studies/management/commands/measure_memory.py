"""python -m studies measure_memory: the memory of the service's processes, at rest and after work."""

import os
import time
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from studies.http_load.loads import fill
from studies.http_load.measure import analyze, measure
from studies.http_load.meter import proportional_mb
from studies.http_load.running_service import Stack, running
from studies.pipeline_speed.scratch import scratch_databases

KIND, OPEN, WORKERS = "mix_drafts", 5_000, 20
REST_SECONDS = 10


class Command(BaseCommand):
    help = "Measure the proportional memory of `web` (two processes) and `jobs` (two), at rest and after 20 workers."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--answers", type=int, default=2_000, help="answers of the 20 workers (2000)")

    def handle(self, *args: Any, answers: int, **options: Any) -> None:
        if connection.vendor != "postgresql" or not os.environ.get("REDIS_URL"):
            raise CommandError("Run scripts/with_services.py -- .venv/bin/python -m studies measure_memory")
        with scratch_databases() as (database,), TemporaryDirectory(prefix="chainbox-memory-") as folder:
            database.use()
            project = fill(KIND, OPEN, spread=True)
            analyze()
            with running(Path(folder), web_processes=2, clock=True) as service:
                time.sleep(REST_SECONDS)
                self._print("at rest", service)
                measure(service, KIND, project, OPEN, workers=WORKERS, answers=answers, seed=0)
                self._print(f"after {answers} answers of {WORKERS} workers", service)

    def _print(self, when: str, service: Stack) -> None:
        assert service.jobs is not None
        web, jobs = proportional_mb(service.web), proportional_mb(service.jobs)
        parts = "; ".join(
            f"{name} {sum(each):.0f} MB ({' + '.join(f'{one:.0f}' for one in each)})"
            for name, each in (("web", web), ("jobs", jobs))
        )
        self.stdout.write(f"{when}: {sum(web) + sum(jobs):.0f} MB: {parts}")
        self.stdout.flush()
