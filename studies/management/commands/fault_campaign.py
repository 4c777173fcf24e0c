"""python -m studies fault_campaign: let workers answer while faults happen, and check that nothing was lost."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from studies.command import StudyCommand
from studies.faults.campaign import Outcome, run_campaign, table


class Command(StudyCommand):
    help = "Run a service of its own, let workers answer while faults happen, and check that nothing was lost."
    least = {"faults": 1, "times": 1, "images": 1, "workers": 2}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="of the first campaign (1)")
        parser.add_argument("--faults", type=int, default=60, help="in each campaign (60)")
        parser.add_argument("--times", type=int, default=3, help="campaigns, with one seed after the other (3)")
        parser.add_argument("--images", type=int, default=6, help="to annotate at first (6)")
        parser.add_argument("--workers", type=int, default=8, help="who answer (8)")
        parser.add_argument("--embedded", action="store_true", help="attack the embedded default (manage.py serve)")
        parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="faults with one of these words")

    def study(self, options: dict[str, Any]) -> Any:
        outcomes: list[Outcome] = []
        for seed in range(options["seed"], options["seed"] + options["times"]):
            outcomes.append(_run({**options, "seed": seed}))
            self._tell(f"seed {seed}", outcomes[-1])
        self.say(table(outcomes))
        if unsound := [outcome for outcome in outcomes if not outcome.sound]:
            raise CommandError(f"The books of {len(unsound)} of {len(outcomes)} campaigns are wrong.")
        return [asdict(outcome) for outcome in outcomes]

    def _tell(self, title: str, one: Outcome) -> None:
        """Write a line about a campaign as soon as it is over, and its mistakes: the next one may be interrupted."""
        verdict = "sound" if one.sound else "NOT SOUND" if one.ended else "DOES NOT END"
        self.say(f"{title}: {verdict}, {one.acknowledged} answers, {one.seconds:.0f} s")
        for kind, problems in one.problems.items():
            for problem in problems:
                self.say(f"  {kind}: {problem}")


def _run(options: dict[str, Any]) -> Outcome:
    given = {name: options[name] for name in ("seed", "faults", "images", "workers", "embedded", "only")}
    with tqdm(total=options["faults"], unit="fault", disable=None) as bar:

        def step(fault: str) -> None:
            bar.set_postfix_str(fault)
            bar.update()

        return run_campaign(Path(settings.BASE_DIR), step=step, **given)
