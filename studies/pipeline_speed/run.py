"""The benchmarks by their names, in the order in which they run, each with its full and its small size."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from studies.pipeline_speed.figure import Figure
from studies.pipeline_speed.judgments import growth, judgments_per_second
from studies.pipeline_speed.merging import merge_rows, merge_rule

IMAGES_OF_FLICKR30K = 31_783


@dataclass(frozen=True, slots=True)
class Benchmark:
    full: Callable[[], Figure]
    small: Callable[[], Figure]


BENCHMARKS = {
    "judgments": Benchmark(partial(judgments_per_second, scenes=200), partial(judgments_per_second, scenes=3)),
    "growth": Benchmark(
        partial(growth, few=500, many=5_000, judgments=10_000, turns=10),
        partial(growth, few=4, many=8, judgments=100, turns=2),
    ),
    "merge-rule": Benchmark(partial(merge_rule, images=IMAGES_OF_FLICKR30K), partial(merge_rule, images=100)),
    "merge-rows": Benchmark(partial(merge_rows, images=IMAGES_OF_FLICKR30K), partial(merge_rows, images=600)),
}
