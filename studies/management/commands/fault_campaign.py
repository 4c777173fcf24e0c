"""python -m studies fault_campaign: let workers answer while faults happen, and check that nothing was lost."""

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from studies.faults.campaign import END_SECONDS, Outcome, as_json, run_campaign, table
from studies.faults.mutations import MUTATIONS, mutated
from studies.servers import ServerError


class Command(BaseCommand):
    help = "Run a service of its own, let workers answer while faults happen, and check that nothing was lost."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="of the first campaign (1)")
        parser.add_argument("--faults", type=int, default=60, help="in each campaign (60)")
        parser.add_argument("--times", type=int, default=3, help="campaigns, with one seed after the other (3)")
        parser.add_argument("--images", type=int, default=6, help="to annotate at first (6)")
        parser.add_argument("--workers", type=int, default=8, help="who answer (8)")
        parser.add_argument("--embedded", action="store_true", help="attack the embedded default (manage.py serve)")
        parser.add_argument(
            "--day",
            type=float,
            default=0.0,
            metavar="MINUTES",
            help="let a day pass in so many minutes",
        )
        parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="faults with one of these words")
        parser.add_argument(
            "--mutations",
            nargs="*",
            metavar="WORD",
            help="instead: plant faults in copies of the code, or those with one of these words, and find each",
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the outcomes to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["mutations"] is not None:
            return self._find_mutations(options)
        outcomes: list[Outcome] = []
        with tqdm(total=options["times"] * options["faults"], unit="fault", disable=None) as bar:
            for number in range(options["times"]):
                outcomes.append(self._run(options["seed"] + number, bar, options))
                self._tell(outcomes[-1])
                if options["json"]:
                    options["json"].write_text(as_json(outcomes), encoding="utf-8")
        self.stdout.write(table(outcomes))
        unsound = [one for one in outcomes if not one.sound]
        if unsound:
            raise CommandError(f"The books of {len(unsound)} of {len(outcomes)} campaigns are wrong.")

    def _tell(self, one: Outcome) -> None:
        """Write one line about a campaign as soon as it is over, and its mistakes: the next one may be interrupted."""
        verdict = "sound" if one.sound else "NOT SOUND" if one.ended else "DOES NOT END"
        self.stdout.write(f"seed {one.seed}: {verdict}, {one.acknowledged} answers, {one.seconds:.0f} s")
        self.stdout.flush()
        for kind, problems in one.problems.items():
            for problem in problems:
                self.stderr.write(f"seed {one.seed}, {kind}: {problem}")

    def _find_mutations(self, options: dict[str, Any]) -> None:
        """Run a short campaign against each mutation. Raises CommandError if one is not found."""
        words, missed = options["mutations"], []
        chosen = [one for one in MUTATIONS if not words or any(word in one.name for word in words)]
        for mutation in chosen:
            short = {**options, "faults": 6, "images": 3, "only": list(mutation.only)}
            with (
                TemporaryDirectory() as folder,
                mutated(Path(settings.BASE_DIR), mutation, Path(folder)) as root,
                tqdm(total=6, unit="fault", disable=None) as bar,
            ):
                outcome = self._run(options["seed"], bar, short, root)
            found = ", ".join(kind for kind, problems in outcome.problems.items() if problems)
            how = "missed" if outcome.sound else found or "does not end"
            self.stdout.write(f"{mutation.name}: {how} ({outcome.acknowledged} answers, {outcome.seconds:.0f} s)")
            for kind, problems in outcome.problems.items():
                self.stdout.write("".join(f"  {kind}: {problem}\n" for problem in problems[:2]), ending="")
            self.stdout.flush()
            missed += [mutation.name] if outcome.sound else []
        if missed:
            raise CommandError(f"{len(missed)} of {len(chosen)} mutations were missed: {', '.join(missed)}.")

    def _run(self, seed: int, bar: Any, options: dict[str, Any], root: Path | None = None) -> Outcome:
        def step(fault: str) -> None:
            bar.set_postfix_str(fault)
            bar.update()

        try:
            return run_campaign(
                root or Path(settings.BASE_DIR),
                seed=seed,
                faults=options["faults"],
                images=options["images"],
                workers=options["workers"],
                embedded=options["embedded"],
                day_minutes=options["day"],
                only=options["only"],
                end_seconds=options.get("end_seconds", END_SECONDS),
                step=step,
            )
        except (ServerError, ValueError, RuntimeError) as error:
            raise CommandError(str(error)) from error
