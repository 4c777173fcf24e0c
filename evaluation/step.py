"""Steps: the commands of each system, with their options and their functions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.report import Report
    from evaluation.work import StepWork

SYSTEMS = ("content_selection", "coreference", "dataset", "foil", "localization", "oracle", "retrieval")


@dataclass(frozen=True, slots=True)
class StepOption:
    """An option of a step, `--name`. The values of `settings` go into the report; files go in as digests."""

    name: str
    words: str
    """The help, such as "file of predictions"."""
    kind: Callable[[str], Any] = str
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    is_file: bool = False
    """Whether it names a file or a folder. Paths stay out of the report, digests of the contents go in."""
    is_flag: bool = False
    """Whether it takes no value."""


@dataclass(frozen=True, slots=True)
class EvaluationStep:
    """A row of a system's table of steps."""

    system: str
    name: str
    words: str
    """The help: one sentence without a full stop."""
    function: str
    """The place of a function that takes Work and returns Report, "package.module:function". It is loaded late, so
    that a step loads only the packages that it needs."""
    options: tuple[StepOption, ...] = field(default=())
    needs_data: bool = True
    """Whether `--data` is required."""

    def run(self, work: "StepWork") -> "Report":
        """Carry the step out. Raises InputError for input that cannot be used."""
        module, _, name = self.function.partition(":")
        function: Callable[[StepWork], Report] = getattr(import_module(module), name)
        return function(work)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the options that are not files, by name."""
        return {option.name: options[option.name] for option in self.options if not option.is_file}


def steps_of(system: str) -> tuple[EvaluationStep, ...]:
    """Return the steps of a system, in the order of its table."""
    steps: tuple[EvaluationStep, ...] = import_module(f"evaluation.{system}.steps").STEPS
    return steps


def all_steps() -> tuple[EvaluationStep, ...]:
    """Return every step of every system."""
    return tuple(step for system in SYSTEMS for step in steps_of(system))
