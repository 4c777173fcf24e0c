"""The systems, each a package with a table STEPS in its module `steps`."""

from importlib import import_module

from evaluation.step import Step

SYSTEMS = ("content_selection", "foil", "localization", "oracle", "retrieval")


def steps_of(system: str) -> tuple[Step, ...]:
    """Return the steps of a system, in the order of its table."""
    steps: tuple[Step, ...] = import_module(f"evaluation.{system}.steps").STEPS
    return steps


def all_steps() -> tuple[Step, ...]:
    """Return every step of every system."""
    return tuple(step for system in SYSTEMS for step in steps_of(system))
