"""Guide [paper 3]: every protocol setting in words, in the order of the form, and what differs between two versions."""

from typing import Any, NamedTuple

from belief.models.shared_errors import SharedErrors
from pipeline.protocol.tasks.task import Task
from pipeline.settings.guide_of_images import OF_IMAGES
from pipeline.settings.guide_of_work import OF_WORK
from pipeline.settings.setting import Kind, Section, Setting
from pipeline.settings.settings import Settings

GUIDE: tuple[Setting, ...] = (*OF_IMAGES, *OF_WORK)
NOT_IN_PAPER = "not in the paper"
NOTHING = "none"
OF_CHAINS = (Section.LINKING, Section.VERIFICATION, Section.BOXES, Section.MERGING, Section.WORDS)
"""The sections about what only the paper's six tasks ask."""
COMMON = (
    *("strategy", "box_policy", "reward_cents", "spend_cap_cents", "answer_cap", "batch"),
    *("lease_minutes", "trust", "test_questions", "caption_language"),
)
"""The settings that requesters turn: the form shows them first, and folds the others by section."""
SAID_WITH = ("bits", "cents", "hours", "minutes")
"""Units that a number needs to be understood."""


class Change(NamedTuple):
    """One setting that two versions have differently, in words."""

    setting: Setting
    task: Task | None
    """Of a setting for each task."""
    before: str
    after: str


def common() -> tuple[Setting, ...]:
    """Return the settings that requesters turn, in the order of the form."""
    return tuple(sorted((one for one in GUIDE if one.name in COMMON), key=lambda one: COMMON.index(one.name)))


def in_section(section: Section) -> tuple[Setting, ...]:
    """Return the settings of a section."""
    return tuple(setting for setting in GUIDE if setting.section is section)


def applies(setting: Setting, *, is_survey: bool) -> bool:
    """Return whether the setting does anything in a survey, or else in an ordinary project."""
    if setting.section is Section.SURVEYS:
        return is_survey
    return not is_survey or (setting.section not in OF_CHAINS and setting.name not in ("reports_to_review", "draw_by"))


def changes(old: Settings, new: Settings) -> list[Change]:
    """Return what differs, in the order of the form; for each task that differs, one line."""
    found = []
    for setting in GUIDE:
        before, after = getattr(old, setting.name), getattr(new, setting.name)
        if before == after:
            continue
        if setting.per_task:
            found += [
                Change(setting, task, value_text(setting, before[task.value]), value_text(setting, after[task.value]))
                for task in Task
                if before[task.value] != after[task.value]
            ]
        else:
            found.append(Change(setting, None, value_text(setting, before), value_text(setting, after)))
    return found


def changes_images(old: Settings, new: Settings) -> bool:
    """Tell whether answers about an image may act otherwise under the new settings."""
    return any(getattr(old, each.name) != getattr(new, each.name) for each in GUIDE if each.acts_on_images)


def value_text(setting: Setting, value: object) -> str:
    """Return a value in words; of a setting for each task, one of its values."""
    match setting.kind, value:
        case Kind.FLAG, bool():
            return "yes" if value else "no"
        case Kind.PERCENT, float() | int():
            return f"{value * 100:.10g} %"
        case Kind.NUMBER, float() | int():
            return f"{value:,.10g}{f' {setting.unit}' if setting.unit in SAID_WITH else ''}"
        case Kind.TYPES, tuple():
            return ", ".join(value) or NOTHING
        case Kind.PAIRS, tuple():
            return ", ".join(sorted(" + ".join(pair) for pair in value)) or NOTHING
        case Kind.EDITS, dict():
            return "; ".join(f"{what} “{word}”: {name}" for what, word, name in edits(value)) or NOTHING
        case Kind.PRIOR, dict():
            return _prior_said(value)
        case Kind.ERRORS, dict():
            return (
                ", ".join(f"{rate * 100:.3g} % {name.replace('_', ' ')}s" for name, rate in value.items())
                or "those of the paper's Table 2"
            )
        case Kind.PROGRAMS, dict():
            rates = {one: " and ".join(f"{rate * 100:.3g} %" for rate in own) for one, own in value.items()}
            return ", ".join(f"program {one}: {own}" for one, own in rates.items()) or "not known yet"
        case Kind.COSTS, dict():
            return ", ".join(f"program {one}: {cents:,} cents" for one, cents in value.items()) or NOTHING
        case Kind.FAMILIES, dict():
            return ", ".join(f"program {one}: {family}" for one, family in value.items()) or NOTHING
        case Kind.WORKERS, tuple():
            return ", ".join(f"program {number}" for number in value) or NOTHING
    return str(value) or NOTHING


def _prior_said(value: dict[str, Any]) -> str:
    if not value:
        return "the default prior"
    if images := value.get("refitted_on"):
        of_links = "sizes" in value  # its pairs are text features
        pairs = value.get("pairs_of_jurors" if of_links else "pairs", {})
        apart = [" and ".join(pair.split()) for pair, own in pairs.items() if SharedErrors(**own).are_apart]
        two = f"; programs {', '.join(apart)} err apart" if apart else ""
        return f"fitted to own answers, {images:,} images{two}"
    return "fitted to finished projects" if value.get("fitted_on") else "given, not fitted"


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
