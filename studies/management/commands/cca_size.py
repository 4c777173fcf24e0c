"""python -m studies cca_size: seconds and memory of the CCA of phrases and regions at the paper's size."""

from dataclasses import fields
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studies.embedding_size.measure_cca import Size, measure_cca


class Command(BaseCommand):
    help = "Fit a CCA of 18,000 by 4,096 dimensions on drawn rows and measure its time and memory."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        for each in fields(Size):
            parser.add_argument(f"--{each.name}", type=int, default=each.default, help=f"({each.default})")
        parser.add_argument("--seed", type=int, default=0, help="(0)")

    def handle(self, *args: Any, **options: Any) -> None:
        size = Size(**{each.name: options[each.name] for each in fields(Size)})
        measured = measure_cca(size, options["seed"], self.stderr.write)
        self.stdout.write(
            f"{size.x:,} x {size.y:,} dimensions, {size.rows:,} rows: {measured.seconds:.0f} s without drawing them, "
            f"at most {measured.peak_bytes / 1e9:.2f} GB; {measured.found} of {size.planted} planted dimensions found, "
            f"the lowest correlation on new rows {measured.lowest:.3f}."
        )
