"""python -m studies predict_study PATH: the prediction of a project against the campaign that is then simulated."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies.pipeline_speed.scratch import scratch_databases
from studies.predict.compared import Compared, add_rows, read_rows, table
from studies.predict.predict_study import PLANS, study
from studies.real_images import add_path, read_images


class Command(BaseCommand):
    help = "Predict projects of real images, simulate them with four crowds in a temporary database, and compare."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_path(parser)
        parser.add_argument("--runs", type=int, default=10, help="campaigns of each crowd (10)")
        parser.add_argument("--images", type=int, default=60, help="images of each campaign (60)")
        parser.add_argument("--sample", type=int, default=30, help="images that a prediction looks at (30)")
        parser.add_argument("--crowd", type=int, choices=range(len(PLANS)), nargs="+", help="only these crowds, from 0")
        parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first run, its seed (0)")
        parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first images (0)")
        parser.add_argument("--as-released", action="store_true", help="keep the one box of each released chain")
        parser.add_argument(
            "--keep", type=Path, metavar="FILE", help="keep the figures of each run, and go on with them"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        plans = [PLANS[number] for number in options["crowd"] or range(len(PLANS))]
        wanted = {(plan.name, options["first"] + number) for plan in plans for number in range(options["runs"])}
        common = {name: options[name] for name in ("images", "sample", "skip", "as_released")}
        found: list[Compared] = []
        try:
            found += read_rows(options["keep"], common) if options["keep"] else []
            found = [one for one in found if (one.crowd, one.run) in wanted]
            there = {(one.crowd, one.run) for one in found}
            images = read_images(options["path"])[options["skip"] :]
            sizes = {"runs": options["runs"], "size": options["images"], "sample": options["sample"]}
            more = {"first": options["first"], "restore": not options["as_released"], "there": there}
            bar = tqdm(total=len(wanted), initial=len(there), unit="campaign", desc="predict_study", disable=None)
            # What is there when it is interrupted is shown.
            with scratch_databases() as (scratch,), suppress(KeyboardInterrupt), bar:
                scratch.use()
                for rows in study(images, plans=plans, **sizes, **more):
                    found += rows
                    if options["keep"]:
                        add_rows(options["keep"], common, rows)
                    bar.update()
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Simulated workers, real mentions and chains: campaigns of {options['images']} images, "
            f"predicted from {options['sample']}. Near: within 15 %, exact chains within 3 points."
        )
        order = [plan.name for plan in PLANS]
        self.stdout.write(table(sorted(found, key=lambda one: order.index(one.crowd))))
