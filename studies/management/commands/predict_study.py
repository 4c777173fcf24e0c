"""python -m studies predict_study PATH: the prediction of a project against the campaign that is then simulated."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError
from studies.pipeline_speed.scratch import scratch_databases
from studies.predict.predict_study import PLANS, Compared, study, table


class Command(BaseCommand):
    help = "Predict projects of real images, simulate them with four crowds in a temporary database, and compare."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
        parser.add_argument("--runs", type=int, default=10, help="campaigns of each crowd (10)")
        parser.add_argument("--images", type=int, default=60, help="images of each campaign (60)")
        parser.add_argument("--sample", type=int, default=30, help="images that a prediction looks at (30)")
        parser.add_argument("--crowd", type=int, choices=range(len(PLANS)), nargs="+", help="only these crowds, from 0")
        parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first run, its seed (0)")
        parser.add_argument("--skip", type=int, default=0, metavar="N", help="leave out the first images (0)")
        parser.add_argument("--as-released", action="store_true", help="keep the one box of each released chain")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write every figure to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        found: list[Compared] = []
        try:
            images = [one for one in read_flickr30k(options["path"]) if isinstance(one, DatasetImage)]
            images = images[options["skip"] :]
            sizes = {"runs": options["runs"], "size": options["images"], "sample": options["sample"]}
            more = {"first": options["first"], "restore": not options["as_released"], "said": self.stderr.write}
            plans = [PLANS[number] for number in options["crowd"]] if options["crowd"] else PLANS
            with scratch_databases() as (scratch,), suppress(KeyboardInterrupt):  # what is there by then is shown
                scratch.use()
                found.extend(study(images, plans=plans, **sizes, **more))
        except (SourceError, ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Simulated workers, real mentions and chains: campaigns of {options['images']} images, "
            f"predicted from {options['sample']}."
        )
        self.stdout.write(table(found))
        if options["json"]:
            rows = [asdict(one) | {"error": one.error} for one in found]
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
