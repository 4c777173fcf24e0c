"""python -m studies proposals_study PATH: worker-seconds and final boxes with proposals of a model, against drawing."""

import json
from pathlib import Path
from random import Random
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies.pipeline_speed.scratch import scratch_databases
from studies.proposals.study import compare, table
from studies.real_images import add_path, read_images


class Command(BaseCommand):
    help = "Compare boxes that a simulated model proposes with drawn ones: workers' time, and the final boxes."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_path(parser)
        parser.add_argument("--images", type=int, default=60, help="images of a random sample (60)")
        parser.add_argument("--seeds", type=int, default=3, help="crowds and models (3)")
        parser.add_argument(
            "--good", type=float, nargs="+", default=[0.5, 0.7, 0.9], metavar="SHARE", help="shares of good boxes"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        if min(options["images"], options["seeds"]) < 1 or not all(0 <= share <= 1 for share in options["good"]):
            raise CommandError("Give at least 1 image and 1 seed, and shares from 0 to 1.")
        images = read_images(options["path"])
        chosen = Random(0).sample(images, min(options["images"], len(images)))
        with scratch_databases() as (database,), tqdm(unit="judgment", disable=None) as bar:
            database.use()
            found = compare(chosen, options["good"], range(options["seeds"]), bar.update)
        self.stdout.write(f"Simulated workers and models: {len(chosen)} images with {options['seeds']} seeds each.")
        self.stdout.write(table(found))
        if options["json"]:
            rows = {str(share): one._asdict() | {"seconds": one.seconds} for share, one in found.items()}
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
