"""Setting [paper 3]: the description of one setting, made of its field, from which form and reference are made."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, get_args

from pydantic.fields import FieldInfo

from pipeline.protocol.setting_words import SettingKind, Words
from pipeline.protocol.settings import ODD
from pipeline.settings.ranges import PER_TASK


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


class SettingLimits(NamedTuple):
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
        first, last = (_short(end, scale) for end in (low, high))
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


@dataclass(frozen=True, kw_only=True)
class Setting(Words):
    """One setting: what its field says of it, and where the form has it."""

    name: str
    section: Section
    kind: SettingKind
    limits: SettingLimits
    """The least and the largest value, as the field's range has them."""
    default: Any
    per_task: bool
    """There is a value for each task."""

    def is_as_paper(self, value: Any) -> bool:
        """Tell whether this is the paper's value; True if the paper has none."""
        if self.paper is None:
            return True
        if self.per_task:  # the paper says nothing about surveys
            return all(value[task] == paper for task, paper in self.paper.items())
        as_set = self.kind in (SettingKind.TYPES, SettingKind.PAIRS)
        return set(value) == set(self.paper) if as_set else bool(value == self.paper)


def setting_of(
    name: str, annotation: Any, words: Words, default: Any, section: Section, *, acts_on_images: bool
) -> Setting:
    """Return the description of a field with this annotation. `acts_on_images`: the fold reads its group."""
    kind, *metadata = get_args(annotation)
    per_task = PER_TASK in metadata
    of_one = get_args(kind)[1] if per_task else annotation
    said = vars(words) | {"acts_on_images": acts_on_images and words.acts_on_images}
    return Setting(
        **said,
        name=name,
        section=section,
        kind=next((part for part in metadata if isinstance(part, SettingKind)), _kind_of(of_one, words)),
        limits=_limits(of_one),
        default=default,
        per_task=per_task,
    )


def _kind_of(annotation: Any, words: Words) -> SettingKind:
    """Return the kind that the type of a value tells."""
    if words.choices:
        return SettingKind.CHOICE
    if get_args(annotation)[0] is float and not words.unit:
        return SettingKind.PERCENT
    return {bool: SettingKind.FLAG, str: SettingKind.TEXT}.get(get_args(annotation)[0], SettingKind.NUMBER)


def _limits(annotation: Any) -> SettingLimits:
    """Read the range of one value from its annotation."""
    kind, *metadata = get_args(annotation)
    rules = [rule for part in metadata if isinstance(part, FieldInfo) for rule in part.metadata]
    least, most, above, below = (
        next((getattr(rule, name) for rule in rules if hasattr(rule, name)), None) for name in ("ge", "le", "gt", "lt")
    )
    return SettingLimits(least, most, above, below, whole=kind is int, odd=ODD in metadata)
