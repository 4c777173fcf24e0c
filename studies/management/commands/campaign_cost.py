"""python -m studies campaign_cost PATH: worker-seconds, chains and boxes of whole campaigns."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from studies.real_images import add_folds, read_images
from studies.whole_campaign.campaign_cost import WAYS, Campaign, campaigns
from studies.whole_campaign.campaign_images import campaign_images
from studies.whole_campaign.tables import confidence_tables, cost_table


class Command(BaseCommand):
    help = "Let simulated workers annotate real images from the first link to merging, once for each way to ask."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_folds(parser)
        parser.add_argument("--seeds", type=int, default=1, help="crowds for each fold (1)")
        parser.add_argument("--no-gold", action="store_true", help="use the default link prior instead of a fitted one")
        parser.add_argument(
            "--way",
            nargs=2,
            action="append",
            default=[],
            metavar=("NAME", "JSON"),
            help='compare these settings, too: --way belief \'{"strategy": "adaptive", "box_policy": "belief"}\'',
        )
        parser.add_argument("--only", action="store_true", help="compare only the ways given by --way")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        ways = {} if options["only"] else dict(WAYS)
        ways |= {name: _read(name, text) for name, text in options["way"]}
        if not ways:
            raise CommandError("--only: give at least one --way.")
        try:
            found = self._run(options, ways)
        except (ValueError, OSError) as error:
            raise CommandError(str(error)) from error
        prior = "the default link prior" if options["no_gold"] else "a link prior from the other images"
        self.stdout.write(
            f"Simulated workers, real images: {options['folds']} disjoint folds of {options['images']} images with "
            f"{options['seeds']} crowds each, {prior}. Seconds and judgments are those of one image."
        )
        self.stdout.write(cost_table(found))
        self.stdout.write(f"\n{confidence_tables(found)}")
        if options["json"]:
            rows = [{"way": one.way, "fold": one.fold, "seed": one.seed, **one.figures()} for one in found]
            options["json"].write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    def _run(self, options: dict[str, Any], ways: dict[str, dict[str, Any]]) -> list[Campaign]:
        bed = campaign_images(read_images(options["path"]))
        total = options["folds"] * options["images"] * options["seeds"] * len(ways)
        with tqdm(total=total, unit="image", disable=None) as bar:
            return list(
                campaigns(
                    bed,
                    ways,
                    folds=options["folds"],
                    images=options["images"],
                    seeds=options["seeds"],
                    seed=options["seed"],
                    gold=not options["no_gold"],
                    done=bar.update,
                )
            )


def _read(name: str, text: str) -> dict[str, Any]:
    """Read the settings of a way to ask."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise CommandError(f"--way {name}: this is not JSON: {error}.") from error
    if not isinstance(values, dict):
        raise CommandError(f'--way {name}: give an object, as in {{"strategy": "adaptive"}}.')
    return values
