"""python -m studies two_hosts: two web hosts and three for jobs, while faults happen to them."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.command import StudyCommand
from studies.hosts.network import why_no_network
from studies.hosts.study import BACK_SECONDS, Happened, run_study, table


class Command(StudyCommand):
    help = "Run the service on five hosts, let workers answer while faults happen to hosts, and check the books."
    least = {"faults": 1, "images": 0, "workers": 2, "lasts": 1}
    wrong = ""

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="of the faults and workers (1)")
        parser.add_argument("--faults", type=int, default=20, help="one after the other (20)")
        parser.add_argument("--images", type=int, default=0, help="to annotate (2 for each fault, and 10)")
        parser.add_argument("--workers", type=int, default=8, help="who answer (8)")
        parser.add_argument("--lasts", type=float, default=20.0, metavar="SECONDS", help="of each fault (20)")
        parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="faults with one of these words")

    def handle(self, *args: Any, **options: Any) -> None:
        options["images"] = options["images"] or 2 * options["faults"] + 10
        super().handle(*args, **options)
        if self.wrong:  # the figures are written
            raise CommandError(self.wrong)

    def study(self, options: dict[str, Any]) -> Any:
        if why := why_no_network():
            raise CommandError(f"This study {why}.")
        given = {name: options[name] for name in ("seed", "faults", "images", "workers", "lasts")}
        with tqdm(total=options["faults"], unit="fault", disable=None) as bar:

            def step(one: Happened) -> None:
                self.say(f"{one.name} ({one.host}): went on after {one.went_on:.1f} s, back after {one.back:.1f} s")
                bar.update()

            found = run_study(Path(settings.BASE_DIR), only=tuple(options["only"]), step=step, **given)
        self.say(table(found))
        self.say(
            f"{found.acknowledged:,} answers in {found.seconds:.0f} s, {found.repeats:,} requests sent again; at most "
            f"{found.silence:.1f} s without an answer. Status 503: {found.unavailable or 'never'}. "
            f"Carried: {found.carried}."
        )
        for kind, problems in found.problems.items():
            for problem in problems:
                self.say(f"  {kind}: {problem}")
        for name in found.late:
            self.say(f"  later than {BACK_SECONDS:g} s: {name}")
        if not found.sound:
            self.wrong = "Something was lost, wrong or late." if found.ended else "The work does not end."
        return asdict(found)
