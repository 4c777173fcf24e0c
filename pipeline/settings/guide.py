"""Guide [paper 3]: the settings of a project in words, in the order of the form, and how two versions differ."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, NamedTuple, get_args, get_type_hints

from pydantic.fields import FieldInfo

from pipeline.protocol import settings as protocol
from pipeline.protocol.settings import ODD, WORDS_KEY, SettingKind, Words
from pipeline.protocol.tasks.task import Task
from pipeline.settings import of_belief, of_learned, of_work
from pipeline.settings.ranges import PER_TASK
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
        first, last = ("" if end is None else f"{end * scale:,.10g}" for end in (low, high))
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


ERRORS_IN_WORDS = {
    "false_negative": "false negatives",
    "false_positive": "false positives",
    "misjoined": "of the pairs that most call the same are not",
    "overlooked": "of what a sweep shows are overlooked for each further candidate",
    "lapse": "of answers to sweeps are lapses",
}


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


SECTIONS: dict[type, Section] = {
    of_belief.StrategySettings: Section.LINKING,
    protocol.LinkSettings: Section.LINKING,
    of_belief.AdaptiveSettings: Section.LINKING,
    of_learned.LearnedOfLinks: Section.LINKING,
    of_belief.VerificationSettings: Section.VERIFICATION,
    of_belief.BeliefSettings: Section.BOXES,
    of_learned.LearnedOfBoxes: Section.BOXES,
    protocol.BoxSettings: Section.BOXES,
    of_belief.ModelSettings: Section.BOXES,
    of_belief.ReferenceSettings: Section.BOXES,
    protocol.MergeSettings: Section.MERGING,
    protocol.ReviewSettings: Section.REVIEW,
    protocol.SurveySettings: Section.SURVEYS,
    of_work.TrustSettings: Section.TRUST,
    of_work.MoneySettings: Section.MONEY,
    of_work.WorkSettings: Section.ASSIGNMENTS,
    of_work.PageSettings: Section.PAGES,
    of_work.TextSettings: Section.WORDS,
}
"""The part of the form in which the settings of each group stand."""
OF_IMAGES = (
    *(Section.LINKING, Section.VERIFICATION, Section.BOXES, Section.MERGING),
    *(Section.REVIEW, Section.SURVEYS),
)
"""The sections that the fold of an image reads; the others are read when work is leased, judged or paid."""
NOT_IN_PAPER = "not in the paper"
NOTHING = "none"
OF_CHAINS = (Section.LINKING, Section.VERIFICATION, Section.BOXES, Section.MERGING, Section.WORDS)
"""The sections about what only the paper's six tasks ask."""
UNITS_SHOWN = ("bits", "cents", "hours", "minutes")
"""Units that a number needs to be understood."""


def _guide() -> tuple[Setting, ...]:
    pairs = ((field, section) for group, section in SECTIONS.items() for field in fields(group))
    declared = {field.name: (field.metadata[WORDS_KEY], section) for field, section in pairs}
    hints = {name: hint for group in SECTIONS for name, hint in get_type_hints(group, include_extras=True).items()}
    return tuple(
        setting_of(name, hints[name], words, usual, section, acts_on_images=section in OF_IMAGES)
        for name, usual in Settings().to_json().items()
        for words, section in [declared[name]]
    )


GUIDE = _guide()


class SettingChange(NamedTuple):
    """One setting that two versions have differently, in words."""

    setting: Setting
    task: Task | None
    """Of a setting for each task."""
    before: str
    after: str


def common() -> tuple[Setting, ...]:
    """Return the settings that requesters turn, in the order of the form."""
    return tuple(sorted((setting for setting in GUIDE if setting.common), key=lambda one: one.common))


def in_section(section: Section) -> tuple[Setting, ...]:
    """Return the settings of a section."""
    return tuple(setting for setting in GUIDE if setting.section is section)


def applies(setting: Setting, *, is_survey: bool) -> bool:
    """Return whether the setting does anything in a survey, or else in an ordinary project."""
    if setting.section is Section.SURVEYS:
        return is_survey
    return not is_survey or (setting.section not in OF_CHAINS and setting.name not in ("reports_to_review", "draw_by"))


def setting_changes(old: Settings, new: Settings) -> list[SettingChange]:
    """Return what differs, in the order of the form; for each task that differs, one line."""
    found, of_old, of_new = [], old.to_json(), new.to_json()
    for setting in GUIDE:
        before, after = of_old[setting.name], of_new[setting.name]
        if before == after:
            continue
        if setting.per_task:
            found += [
                SettingChange(
                    setting, task, value_text(setting, before[task.value]), value_text(setting, after[task.value])
                )
                for task in Task
                if before[task.value] != after[task.value]
            ]
        else:
            found.append(SettingChange(setting, None, value_text(setting, before), value_text(setting, after)))
    return found


def changes_images(old: Settings, new: Settings) -> bool:
    """Tell whether answers about an image may act otherwise under the new settings."""
    before, after = old.chosen(), new.chosen()
    acting = (setting.name for setting in GUIDE if setting.acts_on_images and setting.name in before)
    return old.learned != new.learned or any(before[name] != after[name] for name in acting)


def value_text(setting: Setting, value: object) -> str:
    """Return a value in words; of a setting for each task, one of its values."""
    match setting.kind, value:
        case SettingKind.FLAG, bool():
            return "yes" if value else "no"
        case SettingKind.PERCENT, float() | int():
            return f"{value * 100:.10g} %"
        case SettingKind.NUMBER, float() | int():
            return f"{value:,.10g}{f' {setting.unit}' if setting.unit in UNITS_SHOWN else ''}"
        case SettingKind.TYPES, tuple():
            return ", ".join(value) or NOTHING
        case SettingKind.PAIRS, tuple():
            return ", ".join(sorted(" + ".join(pair) for pair in value)) or NOTHING
        case SettingKind.EDITS, dict():
            return "; ".join(f"{what} “{word}”: {name}" for what, word, name in edits(value)) or NOTHING
        case SettingKind.PRIOR, dict():
            return of_learned.prior_in_words(value)
        case SettingKind.ERRORS, dict():
            return (
                ", ".join(f"{rate * 100:.3g} % {ERRORS_IN_WORDS[name]}" for name, rate in value.items())
                or "those of the paper's Table 2"
            )
        case SettingKind.PROGRAMS, dict():
            rates = {
                program: " and ".join(f"{rate * 100:.3g} %" for rate in errors) for program, errors in value.items()
            }
            return ", ".join(f"program {program}: {errors}" for program, errors in rates.items()) or "not known yet"
        case SettingKind.COSTS, dict():
            return ", ".join(f"program {program}: {cents:,} cents" for program, cents in value.items()) or NOTHING
        case SettingKind.FAMILIES, dict():
            return ", ".join(f"program {program}: {family}" for program, family in value.items()) or NOTHING
        case SettingKind.WORKERS, tuple():
            return ", ".join(f"program {number}" for number in value) or NOTHING
    return str(value) or NOTHING


def edits(value: dict[str, dict[str, list[str]]]) -> list[tuple[str, str, str]]:
    """Return the edits of the word lists one by one: "add" or "remove", the word, the list."""
    return [
        (what, word, name)
        for what in ("add", "remove")
        for name, words in sorted(value.get(what, {}).items())
        for word in words
    ]


def paper_says(setting: Setting) -> str:
    """Return the paper's value in words."""
    if setting.paper is None:
        return setting.paper_words or NOT_IN_PAPER
    if setting.per_task:
        return ", ".join(value_text(setting, value) for value in setting.paper.values())
    return value_text(setting, setting.paper)
