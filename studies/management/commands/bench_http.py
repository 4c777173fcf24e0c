"""python -m studies bench_http: what an answer over HTTP costs, with few and with many questions open."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from django.core.management.base import CommandParser
from django.db import connection
from tqdm import tqdm

from studies.command import StudyCommand
from studies.http_load.loads import KINDS, fill, place_pictures
from studies.http_load.measure import HEAD, Cost, analyze, line, measure, verdicts, warm_up
from studies.http_load.running_service import Stack, data_folders, running
from studies.pipeline_speed.figure import machine
from studies.pipeline_speed.scratch import Scratch, scratch_databases


class Side(NamedTuple):
    """The service on a database with `opened` open questions of each kind."""

    database: Scratch
    service: Stack
    opened: int
    projects: dict[str, str]
    """The name of the project of each kind."""


class Command(StudyCommand):
    help = "Load the service over HTTP with simulated workers, and print what a stored judgment costs in each process."
    needs_servers = True
    least = {"turns": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--open", type=int, nargs="+", default=[5_000, 200_000], help="open questions of each kind (5000 200000)"
        )
        parser.add_argument("--workers", type=int, nargs="+", default=[1, 8, 20], help="workers at a time (1 8 20)")
        parser.add_argument("--answers", type=int, default=1_000, help="about how many in each measurement (1000)")
        parser.add_argument(
            "--only", nargs="+", choices=list(KINDS), default=list(KINDS), help="kinds of questions (all)"
        )
        parser.add_argument("--web-processes", type=int, default=2, help="of each web host (2)")
        parser.add_argument("--web-hosts", type=int, nargs="+", default=[1], help="web hosts, compared in turns (1)")
        parser.add_argument(
            "--turns", type=int, default=1, help="of every measurement; --open must hold the answers of all (1)"
        )

    def study(self, options: dict[str, Any]) -> Any:
        self.say(", ".join(f"{key} {value}" for key, value in machine().items()) + ", " + durability())
        self.say("Workers are simulated and answer at once. Response times: median / 95th percentile.")
        sizes = [(opened, hosts) for opened in sorted(options["open"]) for hosts in sorted(options["web_hosts"])]
        total = len(sizes) * len(options["only"]) * (1 + len(options["workers"]) * options["turns"])
        with ExitStack() as stack, tqdm(total=total, unit="step", disable=None) as bar:
            databases = stack.enter_context(scratch_databases(len(sizes)))
            sides = []
            for number, (size, database) in enumerate(zip(sizes, databases, strict=True)):
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="chainbox-load-")))
                sides.append(stack.enter_context(_side(database, *size, number, folder, options, bar)))
            self.say(HEAD)
            costs = list(self._in_turns(sides, options, bar))
        for words in verdicts(costs):
            self.say(words)
        return {"machine": machine(), "figures": [cost.as_json() for cost in costs]}

    def _in_turns(self, sides: Sequence[Side], options: dict[str, Any], bar: Any) -> Iterator[Cost]:
        """Measure all sides in turns, so that a slow moment of the machine slows down each of them."""
        for kind in options["only"]:
            for turn, workers in enumerate(options["workers"] * options["turns"]):
                for side in sides if turn % 2 == 0 else reversed(sides):
                    side.database.use()
                    given = {"workers": workers, "answers": options["answers"], "seed": turn}
                    cost = measure(side.service, kind, side.projects[kind], side.opened, **given)
                    self.say(line(cost))
                    bar.update()
                    yield cost


@contextmanager
def _side(
    database: Scratch, opened: int, hosts: int, number: int, folder: Path, options: dict[str, Any], bar: Any
) -> Iterator[Side]:
    """Fill a database to this size and run the service on it, warmed up."""
    database.use()
    projects = {}
    for kind in options["only"]:
        projects[kind] = fill(kind, opened)
        bar.update()
    analyze()
    for data in data_folders(folder, hosts):
        place_pictures(data / "media")
    with running(folder, web_processes=options["web_processes"], web_hosts=hosts, number=number) as service:
        warm_up(service)
        yield Side(database, service, opened, projects)


def durability() -> str:
    """Describe the settings that decide when PostgreSQL confirms a write."""
    with connection.cursor() as cursor:
        values = []
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            cursor.execute(f"SHOW {name}")
            values.append(f"{name} {cursor.fetchone()[0]}")
    return ", ".join(values)
