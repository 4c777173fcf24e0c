"""python -m studies benchmark: how fast the pipeline is on this machine, compared with its goals."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.core.management.base import CommandParser

from studies.command import StudyCommand
from studies.pipeline_speed.figure import Figure, machine
from studies.pipeline_speed.judgments import growth, judgments_per_second
from studies.pipeline_speed.merging import merge_rule
from studies.pipeline_speed.planning import QUANTILES, plan

IMAGES_OF_FLICKR30K = 31_783


class Benchmark(NamedTuple):
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
    **{
        name: Benchmark(partial(plan, name, groups=3), partial(plan, name, mentions=15, groups=1)) for name in QUANTILES
    },
}
"""The benchmarks by name, in the order in which they run."""


class Command(StudyCommand):
    help = "Measure the pipeline's speed in temporary databases, and compare each figure with its goal."

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--only", choices=list(BENCHMARKS), action="append", help="may be given several times")
        parser.add_argument("--quick", action="store_true", help="small sizes: a trial run, without comparable figures")

    def study(self, options: dict[str, Any]) -> Any:
        full, about, figures = not options["quick"], machine(), []
        self.say(", ".join(f"{key} {value}" for key, value in about.items()))
        self.say("Times are measured on this machine; workers and boxes are simulated.")
        for name in options["only"] or BENCHMARKS:
            figure = (BENCHMARKS[name].full if full else BENCHMARKS[name].small)()
            self.say(figure.as_text(full_size=full))
            figures.append(figure.as_json(full_size=full))
        return {"machine": about, "full_size": full, "figures": figures}
