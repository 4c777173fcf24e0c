"""Build the demo projects: by the simulation, those that are missing."""

from collections.abc import Callable

from projects.demo.build_campaign import build_campaign
from projects.demo.build_check import build_check
from projects.demo.build_colleague import build_colleague
from simulation.build_demo import build_demo


def build_demos(say: Callable[[str], object]) -> None:
    """Simulate each demo project that is missing: the first one first, since others show its pictures."""
    for build in (build_demo, build_campaign, build_colleague, build_check):
        build(say)
