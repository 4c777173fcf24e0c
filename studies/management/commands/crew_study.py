"""Print the share of chains that starve, by the size of the crew. All workers are simulated."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from studies.crew_size.starvation import starvation


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--crews", type=int, nargs="+", default=[3, 4, 5, 6, 7, 8], help="numbers of workers")
        parser.add_argument("--scenes", type=int, default=200, help="drawn scenes for each crew (200)")
        parser.add_argument("--seed", type=int, default=0, help="of the crowd and the order of work (0)")

    def handle(self, *args: Any, crews: list[int], scenes: int, seed: int, **options: Any) -> None:
        self.stdout.write("workers  chains  starved")
        with tqdm(unit="judgment", disable=None) as bar:
            for row in starvation(crews, scenes=scenes, seed=seed, step=bar.update):
                self.stdout.write(f"{row.workers:7}  {row.chains:6}  {row.share:7.1%}")
