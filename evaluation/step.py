"""A step: one command of a system, with its options and its function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.report import Report
    from evaluation.work import Work


@dataclass(frozen=True, slots=True)
class Option:
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
class Step:
    """A row of a system's table of steps."""

    system: str
    name: str
    words: str
    """The help: one sentence without a full stop."""
    function: str
    """The place of a function that takes Work and returns Report, "package.module:function". It is loaded late, so
    that a step loads only the packages that it needs."""
    options: tuple[Option, ...] = field(default=())
    needs_data: bool = True
    """Whether `--data` is required."""

    def run(self, work: "Work") -> "Report":
        """Carry the step out. Raises InputError for input that cannot be used."""
        module, _, name = self.function.partition(":")
        function: Callable[[Work], Report] = getattr(import_module(module), name)
        return function(work)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the options that are not files, by name."""
        return {one.name: options[one.name] for one in self.options if not one.is_file}
