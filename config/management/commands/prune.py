"""manage.py prune: delete what is old now, or say what the job would delete."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from config.retention import RULES, count_due, limit, prune_all
from runtime import clock


class Command(BaseCommand):
    help = "Delete and empty rows that are old by the days of RETENTION. Stop it at any time: what is gone is gone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--look", action="store_true", help="only count the rows")

    def handle(self, *args: Any, look: bool, **options: Any) -> None:
        now = clock.now()
        if look:
            for rule in RULES:
                before = limit(rule, now)
                told = "kept for ever" if before is None else f"{count_due(rule, before):,} before {before:%Y-%m-%d}"
                self.stdout.write(f"{rule}: {told}")
            return
        gone: dict[str, int] = {}
        with tqdm(unit=" rows", desc="prune", disable=None) as bar:

            def step(rule: Any, rows: int) -> None:
                bar.update(rows)
                gone[str(rule)] = gone.get(str(rule), 0) + rows

            prune_all(now=now, step=step)
        for name, count in gone.items():
            self.stdout.write(f"{name}: {count:,}")
