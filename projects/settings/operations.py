"""Operations on settings, and the draft of a change: as somebody wants them, compared with what there is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Annotated, Any, ClassVar, NamedTuple

from annotated_types import Ge, MaxLen
from django import forms
from django.db import transaction
from django.http import QueryDict
from pydantic import Field

from annotation.models import Project
from annotation.rules.comparable import comparable_word
from annotation.rules.dictionaries import LISTS
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.plain_errors import WrongValue, WrongValuesError
from exchange.checks import Defect, parse_json
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import change_settings, current_settings, hold_settings, newest_chosen
from pipeline.protocol.settings import SettingKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.settings.guide import GUIDE, Setting, edits
from pipeline.settings.settings import Settings
from projects.operation import AsOption, Caller, Input, MaxSize, NoInput, Output, Refused, SentFile, SomeText, operation
from projects.predictions.judges import check_model_annotators

# A value of the wrong type fails in the rules' own operations, with one of these.
WRONG = (ValueError, TypeError, KeyError, AttributeError)
MAX_SIZE = MaxSize(page=1_000_000, command=1_000_000)


class SettingsChange(Input):
    file: Annotated[SentFile, Field(title="Settings"), MAX_SIZE] | None = None
    """A JSON object of the settings to change, by name."""
    values: dict[str, Any] = Field(default_factory=dict)
    """Settings to change, by name, in the place of a file. The others stay."""
    reason: Annotated[SomeText, MaxLen(200), AsOption()]
    """The reason, as the history shows it."""
    based_on: Annotated[int, Ge(1), AsOption()]
    """The version that you read."""


class SettingsInForce(Output):
    version: int
    values: dict[str, Any]
    """All settings by name; docs/reference/settings.md describes each."""


@operation(name="settings", surveys=True, path="settings/", method="get")
def read_settings(project: Project, inputs: NoInput, caller: Caller) -> SettingsInForce:
    """Return all settings, and the number of their version."""
    version, settings = current_settings(project.pk)
    return SettingsInForce(version=version, values=settings.to_json())


@operation(
    name="change_settings",
    surveys=True,
    path="settings/",
    method="patch",
    refusals=(409,),
    command="change_settings",
    guide="settings.md",
    say=lambda made: f"Version {made.version} of the settings is in force.",
)
@transaction.atomic
def change_by_name(project: Project, inputs: SettingsChange, caller: Caller) -> SettingsInForce:
    """Change settings by name. Refused if somebody has changed them since you read them."""
    version, current = hold_settings(project.pk)
    if version != inputs.based_on:
        raise Refused(
            "changed", f"Version {version} was made in the meantime: read the settings again, and start from that."
        )
    settings = _changed(current, inputs)
    if settings == current:
        raise Refused("invalid", "These are the current settings: nothing would change.", 400)
    version = change_settings(project_id=project.pk, settings=settings, reason=inputs.reason, made_by=caller.name)
    return SettingsInForce(version=version, values=settings.to_json())


def _changed(current: Settings, inputs: SettingsChange) -> Settings:
    try:
        values = json.loads(inputs.file.data) if inputs.file else inputs.values
        settings = Settings.from_json({**current.to_json(), **values})
        settings.edited_dictionaries()
        check_model_annotators(settings)
    except WRONG as error:
        raise Refused("invalid", str(error), 400) from error
    return settings


PERCENT = 100
EMPTY_ROWS = 3
"""Rows of the word lists that wait to be filled in."""
MOST_ROWS = 500
PAIRS = tuple(combinations([type_.value for type_ in NOUN_TYPES], 2))
Edit = tuple[str, str, str]


class FieldError(ValueError):
    """A value cannot be read; the message says what it should be."""


def written(setting: Setting, value: Any) -> str:
    """Return one value as the text of its input."""
    if setting.kind is SettingKind.PERCENT:
        return f"{Decimal(str(value)) * PERCENT:f}".rstrip("0").rstrip(".") if value else "0"
    return f"{value}" if not isinstance(value, float) else f"{value:.10g}"


def read_one(setting: Setting, text: str) -> Any:
    """Read the value of a number, a choice or a text. Raises FieldError that says the range."""
    text = text.strip()
    if setting.kind is SettingKind.CHOICE:
        return _choice(setting, text)
    if setting.kind is SettingKind.TEXT:
        return text
    return _number(setting, text)


def _choice(setting: Setting, text: str) -> str:
    names = [choice.value for choice in setting.choices]
    if text not in names:
        raise FieldError(f"One of {', '.join(names)}, not “{text[:40]}”.")
    return text


def _number(setting: Setting, text: str) -> int | float:
    limits, scale = setting.limits, PERCENT if setting.kind is SettingKind.PERCENT else 1
    kind = "A whole number" if limits.whole else "A number"
    wrong = FieldError(f"{kind} {limits.words(scale)}, not {text[:40] or 'empty'}.")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise wrong from None
    if not number.is_finite() or abs(number) > 10**12:
        raise wrong
    number /= scale
    if not limits.holds(float(number)):
        raise wrong
    return int(number) if limits.whole else float(number)


def read_pairs(posted: list[str], now: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Return the chosen pairs of types; those of now keep their order, which says nothing."""
    chosen = {frozenset(text.split("|")) for text in posted}
    kept = [pair for pair in now if frozenset(pair) in chosen]
    known = {frozenset(pair) for pair in kept}
    return (*kept, *(pair for pair in PAIRS if frozenset(pair) in chosen - known))


def read_types(posted: list[str], now: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen types; those of now keep their order."""
    new = tuple(type_.value for type_ in NOUN_TYPES if type_.value in posted and type_.value not in now)
    return (*(value for value in now if value in posted), *new)


def posted_rows(data: QueryDict) -> list[Edit]:
    """Return the rows of the word lists as they were sent."""
    columns = (data.getlist(f"edit.{name}")[:MOST_ROWS] for name in ("what", "word", "list"))
    return list(zip(*columns, strict=False))


def read_edits(rows: list[Edit]) -> dict[str, dict[str, list[str]]]:
    """Return the edits that the rows make; a row without a word is none. Raises FieldError that names the row."""
    found: dict[str, dict[str, list[str]]] = {}
    for number, (what, word, name) in enumerate(rows, 1):
        word = " ".join(comparable_word(word).split()).lower()
        if not word:
            continue
        if what not in ("add", "remove"):
            raise FieldError(f"Row {number}: choose add or remove.")
        if name not in LISTS:
            raise FieldError(f"Row {number}: choose the list of “{word[:40]}”.")
        words = found.setdefault(what, {}).setdefault(name, [])
        if word not in words:
            words.append(word)
    return found


TERMS = ("title", "requester", "contact", "purpose", "kept_days")
NAMED = {setting.name: setting for setting in GUIDE}


class TermsForm(forms.ModelForm):
    """The terms of a project, which workers read before they join."""

    class Meta:
        model = Project
        fields = TERMS
        widgets: ClassVar = {"purpose": forms.Textarea(attrs={"rows": 3}), "kept_days": forms.TextInput()}
        labels: ClassVar = {"kept_days": "Days that accounts are kept", "requester": "Requester", "contact": "Contact"}
        error_messages: ClassVar = {"kept_days": {"invalid": "A whole number of days, or nothing."}}


@dataclass(slots=True)
class Draft:
    """Wanted settings and terms, with the errors in them by the name of the field."""

    settings: Settings
    terms: dict[str, Any]
    errors: dict[str, str] = field(default_factory=dict)
    sent: QueryDict | None = None
    """The form as it was sent, to show wrong values again."""
    rows: list[Edit] = field(default_factory=list)
    terms_form: TermsForm | None = None
    tasks: Sequence[Task] = PROTOCOL_TASKS
    """Those that the project asks."""

    @property
    def values(self) -> dict[str, Any]:
        """The settings by name, with what was learned."""
        return self.settings.to_json()

    @property
    def is_survey(self) -> bool:
        return not set(self.tasks) & set(PROTOCOL_TASKS)


def terms_of_project(project: Project) -> dict[str, Any]:
    return {name: getattr(project, name) for name in TERMS}


def draft_of(project: Project, settings: Settings, terms: dict[str, Any] | None = None) -> Draft:
    """Return the draft that changes nothing but these settings and terms."""
    terms = terms or terms_of_project(project)
    form = TermsForm(initial=terms, instance=project)
    return Draft(settings, terms, rows=edits(settings.dictionaries), terms_form=form, tasks=tasks_of(project))


def read_draft(project: Project, data: QueryDict, base: Settings) -> Draft:
    """Read a form. A field that was not sent keeps the value of `base`; a wrong one is an error of the draft."""
    errors: dict[str, str] = {}
    before, values = base.to_json(), dict[str, Any]()
    for setting in GUIDE:
        values[setting.name] = _read(setting, data, before[setting.name], errors)
    settings = base
    try:
        settings = Settings.from_json(values)
        settings.edited_dictionaries()
    except WrongValuesError as error:
        for message in error.wrong:
            _place(message, errors)
    except ValueError as error:
        errors.setdefault("dictionaries", str(error))
    sent = {**terms_of_project(project), **{name: data[name] for name in TERMS if name in data}}
    form = TermsForm(sent, instance=Project.objects.get(id=project.id))
    errors |= {name: " ".join(map(str, found)) for name, found in form.errors.items()}
    terms = {name: form.cleaned_data.get(name) for name in TERMS}
    rows = posted_rows(data) or edits(values["dictionaries"])
    return Draft(settings, terms, errors, data, rows, form, tasks_of(project))


def _read(setting: Setting, data: QueryDict, now: Any, errors: dict[str, str]) -> Any:
    name = setting.name
    if setting.per_task:
        return {task.value: _one(setting, f"{name}.{task.value}", data, now[task.value], errors) for task in Task}
    match setting.kind:
        case SettingKind.FLAG:
            return data.get(name) == "on" if f"{name}.sent" in data else now
        case SettingKind.TYPES:
            return read_types(data.getlist(name), now) if f"{name}.sent" in data else now
        case SettingKind.PAIRS:
            return read_pairs(data.getlist(name), now) if f"{name}.sent" in data else now
        case SettingKind.PRIOR | SettingKind.ERRORS | SettingKind.PROGRAMS | SettingKind.COSTS | SettingKind.FAMILIES:
            return {} if data.get(name) == "default" else now
        case SettingKind.WORKERS:
            return () if data.get(name) == "default" else now
        case SettingKind.EDITS:
            return _edits(data, now, errors)
    return _one(setting, name, data, now, errors)


def _one(setting: Setting, key: str, data: QueryDict, now: Any, errors: dict[str, str]) -> Any:
    if key not in data:
        return now
    try:
        read = read_one(setting, str(data[key]))
    except FieldError as error:
        errors[key] = str(error)
        return now
    # 1 and 1.0 are one value: what was not changed stays as it was written.
    return now if read == now else read


def _edits(data: QueryDict, now: Any, errors: dict[str, str]) -> Any:
    if "edit.word" not in data:
        return now
    try:
        read = read_edits(posted_rows(data))
    except FieldError as error:
        errors["dictionaries"] = str(error)
        return now
    return now if edits(read) == edits(now) else read


def _place(wrong: WrongValue, errors: dict[str, str]) -> None:
    """Put what is wrong beside its field, with the labels of the fields."""
    key = wrong.name if wrong.name in NAMED else "dictionaries"
    if wrong.place and key in NAMED and NAMED[key].per_task:
        key = f"{key}.{wrong.place[0]}"
    words = wrong.words.lstrip(":= ")
    for name, setting in NAMED.items():
        words = re.sub(rf"\b{name}\b", f"“{setting.label}”", words) if "_" in name else words
    errors.setdefault(key, words[:1].upper() + words[1:])


def packed(draft: Draft) -> str:
    """Return the draft as text for a hidden field."""
    return json.dumps({"settings": draft.settings.to_json(), "terms": draft.terms})


def unpacked(project: Project, text: str) -> Draft:
    """Read what `packed` wrote. Raises ValueError if a browser sends something else."""
    try:
        values = parse_json(text)
        settings = Settings.from_json(values["settings"])
        settings.edited_dictionaries()
        form = TermsForm(values["terms"], instance=Project.objects.get(id=project.id))
    except (Defect, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"The change cannot be read: {error}") from error
    if not form.is_valid():
        raise ValueError(f"The terms cannot be read: {form.errors.as_text()}")
    return draft_of(project, settings, {name: form.cleaned_data[name] for name in TERMS})


def rebased(edited: Settings, base: Settings, newest: Settings) -> Settings:
    """Return the newest settings with what `edited` changes in `base`. Raises ValueError if they exclude each other."""
    values = newest.to_json()
    read = edited.to_json(), base.to_json(), newest.to_json()
    for setting in GUIDE:
        mine, old, now = (values[setting.name] for values in read)
        if setting.per_task:
            values[setting.name] = {task: mine[task] if mine[task] != old[task] else now[task] for task in now}
        elif mine != old:
            values[setting.name] = mine
    return Settings.from_json(values)


class MovedError(Exception):
    """Somebody else saved in the meantime."""


class DraftChange(NamedTuple):
    """A change that its author has looked at and wants to save."""

    draft: Draft
    based_on: int
    terms_before: dict[str, Any]
    reason: str
    made_by: str
    begun_follow: bool
    act: str = ""
    """"follow": save the same settings, so that begun images follow that were left behind. "forget": save what was
    chosen in place of what was learned."""


def to_be_in_force(draft: Draft, chosen: Settings, in_force: Settings, act: str) -> Settings:
    """Return the settings that the draft leads to. What was learned stays where its author chose nothing else."""
    return draft.settings if act == "forget" else rebased(draft.settings, chosen, in_force)


def save(project_id: int, change: DraftChange) -> int:
    """Save the terms and, if the settings differ, a new version. Returns the number of the newest version.

    Raises MovedError if somebody else saved in the meantime, and NoProgramError.
    """
    if not change.begun_follow:
        apply_judgments(project_id=project_id)  # an image with an answer on its way counts as begun
    return _save(project_id, change)


@transaction.atomic
def _save(project_id: int, change: DraftChange) -> int:
    draft = change.draft
    project = Project.objects.select_for_update().get(id=project_id)
    version, chosen = newest_chosen(project_id)
    if version != change.based_on or terms_of_project(project) != change.terms_before:
        raise MovedError
    if draft.terms != change.terms_before:
        for name, value in draft.terms.items():
            setattr(project, name, value)
        project.save(update_fields=list(draft.terms))
    in_force = current_settings(project_id)[1]
    settings = to_be_in_force(draft, chosen, in_force, change.act)
    if settings == in_force and change.act != "follow":
        return version
    check_model_annotators(settings)
    return change_settings(
        project_id=project_id,
        settings=settings,
        reason=change.reason,
        made_by=change.made_by,
        begun_follow=change.begun_follow,
    )
