"""Rows of the form: one for each setting, with its controls, the paper's value and the error beside it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from annotation.rules.dictionaries import LISTS
from annotation.rules.mention_type import NOUN_TYPES
from pipeline.protocol.settings import SettingKind
from pipeline.protocol.tasks.task import Task
from pipeline.settings.guide import Section, Setting, applies, common, in_section, paper_says, value_text
from projects.settings.operations import EMPTY_ROWS, PAIRS, PERCENT, Draft, Edit, written


class Option(NamedTuple):
    """One thing to choose."""

    value: str
    label: str
    sentence: str
    chosen: bool


class Control(NamedTuple):
    """One input, or one list of options."""

    key: str
    label: str
    """Of a setting for each task: the task."""
    value: str
    options: list[Option]
    error: str
    paper: str
    """The paper's value, where this one differs."""


class Row(NamedTuple):
    """One setting on the page."""

    setting: Setting
    kind: str
    controls: list[Control]
    unit: str
    range: str
    paper: str
    in_paper: bool
    differs: bool
    error: str
    edits: list[Edit]


class Part(NamedTuple):
    """One section of the form. The first one stands open; the others fold."""

    name: str
    slug: str
    rows: list[Row]
    differing: int
    errors: int


LIST_NAMES = LISTS
FITTED = (
    SettingKind.PRIOR,
    SettingKind.ERRORS,
    SettingKind.PROGRAMS,
    SettingKind.COSTS,
    SettingKind.FAMILIES,
    SettingKind.WORKERS,
)


def parts(draft: Draft, more: int = EMPTY_ROWS) -> list[Part]:
    """Return the common settings, then every section that the project needs, with the others of it."""
    first = common()
    sections = [("Most used", "common", first)]
    for section in Section:
        others = tuple(setting for setting in in_section(section) if setting not in first)
        sections.append((section.value, section.name.lower(), others))
    found = [_part(name, slug, settings, draft, more) for name, slug, settings in sections]
    return [part for part in found if part.rows]


def _part(name: str, slug: str, settings: Sequence[Setting], draft: Draft, more: int) -> Part:
    values = draft.values
    rows = [
        _row(setting, values[setting.name], draft, more)
        for setting in settings
        if _shown(setting, values[setting.name], draft)
    ]
    errors = sum(bool(row.error) or any(control.error for control in row.controls) for row in rows)
    return Part(name, slug, rows, sum(row.differs for row in rows), errors)


def _shown(setting: Setting, value: object, draft: Draft) -> bool:
    """Tell whether the form has a row for the setting: one that other pages or refits set, only if it has a value."""
    is_given = setting.kind not in FITTED or bool(value)
    return is_given and applies(setting, is_survey=draft.is_survey)


def _row(setting: Setting, value: Any, draft: Draft, more: int) -> Row:
    tasks: Sequence[Task | None] = draft.tasks if setting.per_task else [None]
    in_paper = not (setting.per_task and draft.is_survey)  # the paper's values are those of its six tasks
    unit = "%" if setting.kind is SettingKind.PERCENT else setting.unit
    limits = setting.limits if setting.kind in (SettingKind.NUMBER, SettingKind.PERCENT) else None
    empty = sum(1 for _, word, _ in draft.rows if not word.strip())
    edits = [*draft.rows, *[("add", "", "")] * max(0, more - empty)] if setting.kind is SettingKind.EDITS else []
    return Row(
        setting=setting,
        kind=setting.kind.value,
        controls=[_control(setting, task, value, draft) for task in tasks],
        unit=unit,
        range=limits.words(PERCENT if setting.kind is SettingKind.PERCENT else 1) if limits else "",
        paper=paper_says(setting) if in_paper else "",
        in_paper=in_paper and (setting.paper is not None or bool(setting.paper_words)),
        differs=in_paper and not setting.is_as_paper(value),
        error=draft.errors.get(setting.name, "") if setting.per_task or setting.kind is SettingKind.EDITS else "",
        edits=edits,
    )


def _control(setting: Setting, task: Task | None, value: Any, draft: Draft) -> Control:
    key = f"{setting.name}.{task.value}" if task else setting.name
    own = value[task.value] if task else value
    text = (
        written(setting, own)
        if setting.kind in (SettingKind.NUMBER, SettingKind.PERCENT, SettingKind.TEXT, SettingKind.CHOICE)
        else ""
    )
    if draft.sent is not None and key in draft.sent and key in draft.errors:
        text = str(draft.sent[key])
    paper = setting.paper.get(task.value) if task and setting.paper else setting.paper
    differs = paper is not None and not setting.per_task and not setting.is_as_paper(own)
    differs = differs or (task is not None and paper is not None and own != paper)
    return Control(
        key=key,
        label=task.label if task else setting.label,
        value=text,
        options=_options(setting, own, text),
        error="" if setting.kind is SettingKind.EDITS else draft.errors.get(key, ""),
        paper=value_text(setting, paper) if differs else "",
    )


def _options(setting: Setting, own: Any, text: str) -> list[Option]:
    match setting.kind:
        case SettingKind.CHOICE:
            return [
                Option(choice.value, choice.value, choice.sentence, choice.value == text) for choice in setting.choices
            ]
        case SettingKind.FLAG:
            return [Option("on", "yes", "", bool(own))]
        case SettingKind.TYPES:
            return [Option(type_.value, type_.value, "", type_.value in own) for type_ in NOUN_TYPES]
        case SettingKind.PAIRS:
            now = {frozenset(pair) for pair in own}
            return [Option("|".join(pair), " + ".join(pair), "", frozenset(pair) in now) for pair in PAIRS]
        case (
            SettingKind.PRIOR
            | SettingKind.ERRORS
            | SettingKind.PROGRAMS
            | SettingKind.COSTS
            | SettingKind.FAMILIES
            | SettingKind.WORKERS
        ):
            none: object = () if setting.kind is SettingKind.WORKERS else {}
            sentence = f"{value_text(setting, own)}: set back to {value_text(setting, none)}"
            return [Option("default", "", sentence, chosen=False)]
    return []
