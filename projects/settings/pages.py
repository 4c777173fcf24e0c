"""The page of a project's settings: the form, the look at a change before it is saved, and the history."""

import json
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.models import Project
from annotation.project_terms import terms_of
from exchange.checks import Defect, parse_json
from pipeline.learning.calibration_rows import calibration_rows
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import all_settings, chosen_versions, current_settings, newest_chosen
from pipeline.record.read_record import left_behind
from pipeline.settings.guide import SettingChange, setting_changes
from pipeline.settings.settings import Settings
from projects.access import managers_only
from projects.predictions.judges import NoProgramError
from projects.quality.calibration import calibration_chart, too_sure
from projects.settings.effects import all_again, of_work, scopes
from projects.settings.operations import (
    EMPTY_ROWS,
    Draft,
    DraftChange,
    MovedError,
    TermsForm,
    draft_of,
    packed,
    read_draft,
    rebased,
    save,
    terms_of_project,
    to_be_in_force,
    unpacked,
)
from projects.settings.rows import LIST_NAMES, parts

NO_REASON = "Say in a few words why the settings change: the history keeps it."
LONGEST_REASON = 200
MORE_ROWS = 10


class Start(NamedTuple):
    """The version of the settings, and the terms, from which a change began."""

    version: int
    settings: Settings
    terms: dict[str, Any] | None = None
    """None: the terms of now."""


UNTOLD = {"requester": "who asks", "contact": "how to reach the requester", "purpose": "what the answers are for"}


@managers_only("GET", "POST")
def settings_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the form, or do what a button of it says."""
    if request.method != "POST":
        return _form(request, project, draft_of(project, newest_chosen(project.id)[1]))
    action = request.POST.get("action", "check")
    acts = {"check": _check, "more": _check, "again": _again, "save": _save, "back": _back}
    acts |= {"follow": _once_more, "forget": _once_more}
    if action not in acts:
        messages.error(request, "This page has no such button: nothing was changed.")
        return redirect("projects:settings", name=project.name)
    return acts[action](request, project)


def _form(
    request: HttpRequest, project: Project, draft: Draft, *, based_on: int | None = None, more: int = EMPTY_ROWS
) -> HttpResponse:
    """Show the form. `based_on`: the version that the draft began from, if it is not begun now."""
    version = newest_chosen(project.id)[0]
    terms_before = _terms_before(request) if based_on else None
    past, versions = history(project, whole="all" in request.GET)
    shown = {
        "project": project,
        "parts": parts(draft, more),
        "terms": draft.terms_form or TermsForm(instance=project),
        "errors": draft.errors,
        "version": version,
        "based_on": based_on or version,
        "untold": [UNTOLD[name] for name in terms_of(project).missing],
        "terms_before": json.dumps(terms_before or terms_of_project(project)),
        "past": past,
        "versions": versions,
        "left_behind": left_behind(project.id),
        "lists": LIST_NAMES,
    }
    return render(request, "projects/settings/form.html", shown)


def _check(request: HttpRequest, project: Project) -> HttpResponse:
    """Read the form; show it again with its errors, or what would change."""
    based_on, base = _version_named(request, project, "based_on")
    if base is None:
        messages.error(request, "The form was sent without its version: nothing was changed. Here it is again.")
        return redirect("projects:settings", name=project.name)
    draft = read_draft(project, request.POST, base)
    if draft.errors or request.POST.get("action") == "more":
        more = EMPTY_ROWS + MORE_ROWS * (request.POST.get("action") == "more")
        return _form(request, project, draft, based_on=based_on, more=more)
    return _look(request, project, draft, Start(based_on, base, _terms_before(request)))


def _look(
    request: HttpRequest,
    project: Project,
    draft: Draft,
    start: Start,
    *,
    error: str = "",
    reason: str = "",
    act: str = "",
) -> HttpResponse:
    """Show the change, setting by setting, with its effects; what others saved meanwhile is taken in first.

    `act`: "follow" or "forget" if the chosen settings stay as they are, for what `save.Change` says.
    """
    version, current = newest_chosen(project.id)
    terms, has_moved = terms_of_project(project), version != start.version
    if has_moved:
        draft = draft_of(project, rebased(draft.settings, start.settings, current), draft.terms)
    if start.terms is not None and start.terms != terms:
        has_moved, old = True, start.terms
        mine = {name: value for name, value in draft.terms.items() if value != old.get(name)}
        draft = draft_of(project, draft.settings, {**terms, **mine})
    in_force = current_settings(project.id)[1]
    wanted = to_be_in_force(draft, current, in_force, act)
    rows = setting_changes(in_force, wanted)
    terms_rows = _terms_rows(terms, draft.terms)
    if not rows and not terms_rows and act != "follow":
        messages.info(request, "Nothing would change: these are the present settings.")
        return redirect("projects:settings", name=project.name)
    shown = {
        "project": project,
        "changes": rows,
        "terms_changes": terms_rows,
        "scopes": (all_again if act == "follow" else scopes)(project.id, in_force, wanted),
        "effects": of_work(project.id, in_force, wanted),
        "packed": packed(draft),
        "version": version,
        "terms_before": json.dumps(terms),
        "moved": setting_changes(start.settings, current),
        "has_moved": has_moved,
        "based_on": start.version,
        "error": error,
        "reason": reason,
        "act": act,
        "scope": request.POST.get("scope", "all"),
    }
    return render(request, "projects/settings/look.html", shown)


def _terms_rows(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, str, str]]:
    form = TermsForm()
    return [
        (str(form.fields[name].label or name), _or_none(before[name]), _or_none(after[name]))
        for name in before
        if (before[name] or None) != (after[name] or None)
    ]


def _or_none(value: Any) -> str:
    return "none" if value in (None, "") else str(value)


def _terms_before(request: HttpRequest) -> dict[str, Any] | None:
    try:
        read = parse_json(request.POST.get("terms_before", ""))
    except Defect:
        return None
    return read if isinstance(read, dict) else None


def _version_named(request: HttpRequest, project: Project, field: str) -> tuple[int, Settings | None]:
    """Return the version that a field names, and its settings; None if there is no such version."""
    text = request.POST.get(field, "")
    number = int(text) if text.isdecimal() and len(text) < 10 else 0
    return number, chosen_versions(project.id).get(number)


def _again(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what the settings of an earlier version would change."""
    number, wanted = _version_named(request, project, "number")
    if wanted is None:
        raise Http404("There is no such version.")
    draft, start = draft_of(project, wanted), Start(*newest_chosen(project.id))
    return _look(request, project, draft, start, reason=f"version {number} again")


def _once_more(request: HttpRequest, project: Project) -> HttpResponse:
    """Show what happens if begun images that were left behind follow, or if the project forgets what it learned."""
    act, start = request.POST["action"], Start(*newest_chosen(project.id))
    reason = {"follow": "begun images follow", "forget": "what was learned is forgotten"}[act]
    return _look(request, project, draft_of(project, start.settings), start, reason=reason, act=act)


def _back(request: HttpRequest, project: Project) -> HttpResponse:
    based_on, base = _version_named(request, project, "based_on")
    if base is None:
        raise Http404("The change names no version that it is based on.")
    return _form(request, project, _unpacked(request, project), based_on=based_on)


def _unpacked(request: HttpRequest, project: Project) -> Draft:
    try:
        return unpacked(project, request.POST.get("packed", ""))
    except ValueError as error:
        raise Http404(f"{error}") from error


def _save(request: HttpRequest, project: Project) -> HttpResponse:
    """Save the change that was looked at, if it has a reason and nobody else saved in the meantime."""
    draft, reason = _unpacked(request, project), request.POST.get("reason", "").strip()
    terms_before, (based_on, base) = _terms_before(request), _version_named(request, project, "based_on")
    if base is None or terms_before is None:
        raise Http404("The change names no version that it is based on.")
    act = request.POST.get("act", "")
    start = Start(based_on, base, terms_before)
    if not reason or len(reason) > LONGEST_REASON:
        error = NO_REASON if not reason else f"At most {LONGEST_REASON} characters, not {len(reason)}."
        return _look(request, project, draft, start, error=error, reason=reason, act=act)
    try:
        author, begun_follow = request.user.get_username(), request.POST.get("scope") != "fresh"
        version = save(project.id, DraftChange(draft, based_on, terms_before, reason, author, begun_follow, act))
    except NoProgramError as error:
        messages.error(request, str(error))
        return _look(request, project, draft, start, reason=reason, act=act)
    except MovedError:
        return _look(request, project, draft, start, reason=reason, act=act)
    messages.success(request, f"Saved: version {version} of the settings is in use.")
    return redirect("projects:settings", name=project.name)


@managers_only("GET", surveys=False)
def learned_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show every version, newest first, and what is said and right with the values in force."""
    past, settings = learned(project), current_settings(project.id)[1]
    held = calibration_rows(settings)
    shown = {
        "project": project,
        "past": past,
        "is_in_use": any(version.in_use for version in past),
        "too_sure": too_sure(held),
        "said_right": calibration_chart(held, settings),
    }
    return render(request, "projects/settings/learned.html", shown)


VERSIONS_SHOWN = 20


class Past(NamedTuple):
    """One version."""

    row: SettingsVersion
    changes: list[SettingChange]
    """The differences from the version before."""
    in_use: bool
    begun_stay: bool
    """Images with answers did not follow it."""


def history(project: Project, *, whole: bool = False) -> tuple[list[Past], int]:
    """Return the newest versions that people made, newest first, or all of them, and how many there are."""
    chosen = chosen_versions(project.id)
    before = dict(zip(list(chosen)[1:], chosen.values(), strict=False))
    rows = [row for row in _rows(project) if row.version in chosen]
    past = []
    for row in rows if whole else rows[:VERSIONS_SHOWN]:
        own = chosen[row.version]
        changed = setting_changes(before.get(row.version, own), own)
        past.append(Past(row, changed, row is rows[0], row.begun_from == row.version))
    return past, len(rows)


def learned(project: Project) -> list[Past]:
    """Return the versions that refits learned, newest first. One is in use while a value of it is in force."""
    settings, rows = all_settings(project.id), _rows(project)
    now, past = settings[rows[0].version].to_json(), []
    for row in rows:
        if row.by_refit:
            own = settings[row.version]
            changed = setting_changes(settings[row.version - 1], own)
            then = own.to_json()
            in_use = any(now[change.setting.name] == then[change.setting.name] for change in changed)
            past.append(Past(row, changed, in_use, begun_stay=False))
    return past


def _rows(project: Project) -> list[SettingsVersion]:
    return list(SettingsVersion.objects.filter(project=project).order_by("-version").defer("values"))
