"""python -m studies benchmark: how fast the pipeline is on this machine, compared with its goals."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from studies.pipeline_speed.figure import Figure, machine
from studies.pipeline_speed.judgments import growth, judgments_per_second
from studies.pipeline_speed.merging import merge_rows, merge_rule
from studies.pipeline_speed.planning import plan_median, plan_worst

IMAGES_OF_FLICKR30K = 31_783


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark at its full and its small size."""

    full: Callable[[], Figure]
    small: Callable[[], Figure]


BENCHMARKS = {
    "judgments": Benchmark(partial(judgments_per_second, scenes=200), partial(judgments_per_second, scenes=1)),
    "growth": Benchmark(
        partial(growth, few=500, many=5_000, judgments=10_000, turns=10),
        partial(growth, few=2, many=4, judgments=40, turns=2),
    ),
    "merge-rule": Benchmark(partial(merge_rule, images=IMAGES_OF_FLICKR30K), partial(merge_rule, images=100)),
    "merge-rows": Benchmark(partial(merge_rows, images=IMAGES_OF_FLICKR30K), partial(merge_rows, images=120)),
    "plan-median": Benchmark(partial(plan_median, groups=3), partial(plan_median, mentions=15, groups=1)),
    "plan-worst": Benchmark(partial(plan_worst, groups=3), partial(plan_worst, mentions=15, groups=1)),
}
"""The benchmarks by name, in the order in which they run."""


class Command(BaseCommand):
    help = "Measure the pipeline's speed in temporary databases, and compare each figure with its goal."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--only", choices=list(BENCHMARKS), action="append", help="may be given several times")
        parser.add_argument("--quick", action="store_true", help="small sizes: a trial run, without comparable figures")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")

    def handle(self, *args: Any, **options: Any) -> None:
        full = not options["quick"]
        try:
            if options["json"]:
                options["json"].touch()  # fails before the minutes of measuring
            about = machine()
            self._print(", ".join(f"{key} {value}" for key, value in about.items()))
            self._print("Times are measured on this machine; workers and boxes are simulated.")
            figures = []
            for name in options["only"] or BENCHMARKS:
                figure = (BENCHMARKS[name].full if full else BENCHMARKS[name].small)()
                self._print(figure.as_text(full_size=full))
                figures.append(figure.as_json(full_size=full))
            if options["json"]:
                text = json.dumps({"machine": about, "full_size": full, "figures": figures}, indent=2)
                options["json"].write_text(text + "\n", encoding="utf-8")
        except (OSError, DatabaseError) as error:
            raise CommandError(f"{error}".strip()) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. The temporary databases were deleted.") from None

    def _print(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
