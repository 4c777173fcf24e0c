"""python -m studies leak_over_http: try to tell verification questions by times and sizes, over HTTP."""

import json
import os
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from tqdm import tqdm

from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from studies.http_load.measure import analyze
from studies.http_load.running_service import StackError, running
from studies.pipeline_speed.scratch import scratch_databases
from studies.question_leak.classifier import LATER_MS, Found, even, later, try_to_tell, what_tells
from studies.question_leak.collect import Seen, admit, collect, prepare


class Command(BaseCommand):
    help = "Let simulated workers answer over HTTP, and let a classifier try to find the verification questions."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--questions", type=int, default=20_000, help="about how many, of both kinds (20000)")
        parser.add_argument("--workers", type=int, default=60, help="each answers one task (60)")
        parser.add_argument("--rate", type=float, default=0.02, help="share of verification questions (0.02)")
        parser.add_argument(
            "--tasks",
            nargs="+",
            choices=list(PROTOCOL_TASKS),
            default=list(PROTOCOL_TASKS),
            metavar="TASK",
            help="which tasks (all)",
        )
        parser.add_argument("--images", type=int, default=990, help="images of each task (990)")
        parser.add_argument("--later", type=float, default=LATER_MS, metavar="MS", help=f"planted delay ({LATER_MS:g})")
        parser.add_argument("--sure", type=float, default=0.95, help="coverage of the intervals (0.95)")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if connection.vendor != "postgresql" or not os.environ.get("REDIS_URL"):
            raise CommandError(
                "This study watches a server: run it with scripts/with_services.py, which starts PostgreSQL and Redis."
            )
        if options["questions"] < 100 or options["workers"] < 10 or not 0 < options["rate"] < 1:
            raise CommandError("Give at least 100 --questions and 10 --workers, and a --rate between 0 and 1.")
        try:
            seen = self._watch(options)
        except (OSError, DatabaseError, StackError, RuntimeError) as error:
            raise CommandError(f"{error}".strip()) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. The temporary database was deleted.") from None
        found = self._try_to_tell(seen, options["sure"], options["later"])
        if options["json"]:
            figures = {name: {"auc": one.auc, "low": one.low, "high": one.high} for name, one in found.items()}
            options["json"].write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")

    def _watch(self, options: dict[str, Any]) -> Seen:
        tasks = [Task(task) for task in options["tasks"]]
        with ExitStack() as stack:
            (database,) = stack.enter_context(scratch_databases(1))
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="chainbox-leak-")))
            database.use()
            project = prepare("leak", tasks, options["images"], options["rate"])
            crew = admit(project, options["workers"], tasks)
            warm_up = prepare("warm-up", tasks, 40, options["rate"])
            first = admit(warm_up, 2 * len(tasks), tasks)
            analyze()
            # Without a job runner no question reaches a later round, which the stock would not have.
            service = stack.enter_context(running(folder, web_processes=1, job_runner=False))
            # The first requests of a process are slower than the rest.
            collect(service.port, warm_up, first, tasks, 30 * len(tasks))
            with tqdm(total=options["questions"], unit="question", disable=None) as bar:
                return collect(
                    service.port,
                    project,
                    crew,
                    tasks,
                    options["questions"],
                    lambda done: bar.update(done - bar.n),
                )

    def _try_to_tell(self, seen: Seen, sure: float, milliseconds: float) -> dict[str, Found]:
        assignments = len(set(seen.assignments))
        self.stdout.write(
            f"{len(seen.rows):,} questions in {assignments:,} assignments of {len(set(seen.workers))} workers; "
            f"{sum(seen.known):,} are verification questions; a browser sees {len(seen.rows[0])} numbers of each."
        )
        cases = {
            "as the browser receives them": seen.rows,
            f"planted: {milliseconds:g} ms later with a verification question": later(
                seen.rows, seen.known, seen.assignments, milliseconds
            ),
            "planted: an even number in the picture's name": even(seen.rows, seen.known),
        }
        found = {}
        for name, rows in cases.items():
            found[name] = try_to_tell(rows, seen.known, seen.workers, sure=sure)
            self.stdout.write(f"{name:52} {found[name]}")
            told = ", ".join(f"{what} {area:.3f}" for what, area in what_tells(rows, seen.known))
            self.stdout.write(f"    tell most on their own (AUC): {told}")
        return found
