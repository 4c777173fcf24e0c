"""Histories of a project's settings: the versions that people made, and those that refits learned."""

from typing import NamedTuple

from annotation.models import Project
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import all_settings, chosen_versions
from pipeline.settings.guide import SettingChange, setting_changes

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
