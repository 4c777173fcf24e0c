"""Setting [paper 3]: the description of one protocol setting, from which its form and its reference are made."""

from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple, get_args, get_type_hints

from pydantic.fields import FieldInfo

from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.ranges import ODD
from pipeline.settings.settings import Settings


class Section(StrEnum):
    """The part of the form in which a setting stands."""

    LINKING = "Coreference links"
    VERIFICATION = "Chain verification"
    BOXES = "Box tasks"
    MERGING = "Merging"
    REVIEW = "Review"
    TRUST = "Quality control and trust"
    MONEY = "Money"
    ASSIGNMENTS = "Assignments"
    SURVEYS = "Surveys"
    PAGES = "Workers' pages"
    WORDS = "Word lists"


class Kind(StrEnum):
    """The shape of a setting's value."""

    NUMBER = "number"
    PERCENT = "percent"
    CHOICE = "choice"
    FLAG = "flag"
    TEXT = "text"
    TYPES = "types"
    PAIRS = "pairs"
    EDITS = "edits"
    PRIOR = "prior"
    ERRORS = "errors"
    PROGRAMS = "programs"
    COSTS = "costs"
    WORKERS = "workers"
    FAMILIES = "families"


class Choice(NamedTuple):
    """One value that a setting may have, with a sentence that says what it does."""

    value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting in words. Its type, default and range are those of the field of `Settings`."""

    name: str
    label: str
    changes: str
    """A sentence: the effect of the setting."""
    section: Section
    kind: Kind = Kind.NUMBER
    unit: str = ""
    paper: Any = None
    """The paper's value; None: not in the paper."""
    paper_words: str = ""
    """The paper's own words, where it has no value that could be compared."""
    choices: tuple[Choice, ...] = ()
    per_task: bool = False
    acts_on_images: bool = False
    """The fold of an image reads it; else it is read when work is leased, judged or paid."""

    @property
    def default(self) -> Any:
        return _defaults()[self.name]

    @property
    def limits(self) -> "Limits":
        """The least and the largest value, as `ranges` has them."""
        return _limits(_hints()[self.name])

    def is_as_paper(self, value: Any) -> bool:
        """Tell whether this is the paper's value; True if the paper has none."""
        if self.paper is None:
            return True
        if self.per_task:  # the paper says nothing about surveys
            return all(value[task] == paper for task, paper in self.paper.items())
        as_set = self.kind in (Kind.TYPES, Kind.PAIRS)
        return set(value) == set(self.paper) if as_set else bool(value == self.paper)


class Limits(NamedTuple):
    """The range of a number. None: no limit."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """Numbers must be larger than this."""
    below: float | None = None
    whole: bool = False
    odd: bool = False

    def words(self, scale: int = 1) -> str:
        """Return the range in words, such as "between 1 and 50". `scale`: 100 for percentages."""
        low = self.least if self.least is not None else self.above
        high = self.most if self.most is not None else self.below
        if low is None:
            return "any number"
        first, last = (_short(each, scale) for each in (low, high))
        if high is None:
            return f"{first} or more" if self.above is None else f"more than {first}"
        if self.above is None and self.below is None:
            return f"{'an odd number ' if self.odd else ''}between {first} and {last}"
        return f"{'more than' if self.above is not None else 'at least'} {first} and " + (
            f"less than {last}" if self.below is not None else f"at most {last}"
        )

    def holds(self, number: float) -> bool:
        """Tell whether the number is in the range."""
        return (
            (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
            and (not self.whole or number == int(number))
            and (not self.odd or number % 2 == 1)
        )


def _short(number: float | None, scale: int) -> str:
    return "" if number is None else f"{number * scale:,.10g}"


@cache
def _hints() -> dict[str, Any]:
    return get_type_hints(Settings, include_extras=True)


@cache
def _defaults() -> dict[str, Any]:
    made = Settings()
    assert all(each.default is not MISSING or each.default_factory is not MISSING for each in fields(Settings))
    return {each.name: getattr(made, each.name) for each in fields(Settings)}


def _limits(hint: Any) -> Limits:
    """Read the range from the annotation; of a value for each task, that of one task."""
    inner = get_args(hint)
    if inner and getattr(inner[0], "__origin__", None) is dict:
        return _limits(get_args(inner[0])[1])
    found = {"ge": None, "le": None, "gt": None, "lt": None}
    for one in inner[1:]:
        if isinstance(one, FieldInfo):
            for rule in one.metadata:
                found |= {name: value for name in found if (value := getattr(rule, name, None)) is not None}
    whole, odd = inner[:1] == (int,), any(one is ODD for one in inner)
    return Limits(found["ge"], found["le"], found["gt"], found["lt"], whole=whole, odd=odd)


def for_each_task(*values: Any) -> dict[str, Any]:
    """Return these values, of the paper's six tasks, by task in their order."""
    return {task.value: value for task, value in zip(PROTOCOL_TASKS, values, strict=True)}
