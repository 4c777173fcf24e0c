"""python -m studies leak_over_http: try to tell verification questions by times and sizes, over HTTP."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import CommandParser
from tqdm import tqdm

from annotation.models import Project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from studies.command import StudyCommand
from studies.http_load.measure import analyze
from studies.http_load.running_service import running
from studies.pipeline_speed.scratch import scratch_databases
from studies.question_leak.over_http import LATER_MS, Seen, admit, collect, even, later, prepare, try_to_tell


class Command(StudyCommand):
    help = "Let simulated workers answer over HTTP, and let a classifier try to find the verification questions."
    needs_servers = True
    least = {"questions": 100, "workers": 10, "rate": 0.001}

    def add_options(self, parser: CommandParser) -> None:
        tasks = list(PROTOCOL_TASKS)
        parser.add_argument("--questions", type=int, default=20_000, help="about how many, of both kinds (20000)")
        parser.add_argument("--workers", type=int, default=60, help="each answers one task (60)")
        parser.add_argument("--rate", type=float, default=0.02, help="share of verification questions (0.02)")
        parser.add_argument("--tasks", nargs="+", choices=tasks, default=tasks, metavar="TASK", help="which (all)")
        parser.add_argument("--images", type=int, default=990, help="images of each task (990)")
        parser.add_argument("--later", type=float, default=LATER_MS, metavar="MS", help=f"planted delay ({LATER_MS:g})")

    def study(self, options: dict[str, Any]) -> Any:
        seen = _watch(options)
        self.say(
            f"{len(seen.rows):,} questions in {len(set(seen.assignments)):,} assignments of {len(set(seen.workers))} "
            f"workers; {sum(seen.known):,} are verification questions; a browser sees {len(seen.rows[0])} numbers each."
        )
        delay = options["later"]
        cases = {
            "as the browser receives them": seen.rows,
            f"planted: {delay:g} ms later with a verification question": later(
                seen.rows, seen.known, seen.assignments, delay
            ),
            "planted: an even number in the picture's name": even(seen.rows, seen.known),
        }
        found = {name: try_to_tell(rows, seen.known, seen.workers) for name, rows in cases.items()}
        for name, evidence in found.items():
            self.say(f"{name:52} {evidence}")
        return {name: asdict(evidence) for name, evidence in found.items()}


def _watch(options: dict[str, Any]) -> Seen:
    tasks = [Task(task) for task in options["tasks"]]
    with ExitStack() as stack:
        (database,) = stack.enter_context(scratch_databases(1))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="chainbox-leak-")))
        database.use()
        turn = Project.objects.count()  # tests look twice into one database
        project = prepare(f"leak-{turn}", tasks, options["images"], options["rate"])
        crew = admit(project, options["workers"], tasks)
        warm_up = prepare(f"warm-up-{turn}", tasks, 40, options["rate"])
        first = admit(warm_up, 2 * len(tasks), tasks)
        analyze()
        # Without a job runner no question reaches a later round, which the stock would not have.
        service = stack.enter_context(running(folder, web_processes=1, job_runner=False))
        # The first requests of a process are slower than the rest.
        collect(service.ports[0], warm_up, first, tasks, 30 * len(tasks))
        with tqdm(total=options["questions"], unit="question", disable=None) as bar:
            return collect(
                service.ports[0], project, crew, tasks, options["questions"], lambda done: bar.update(done - bar.n)
            )
