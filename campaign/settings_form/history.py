"""History of a project's settings: every version with what it changed, why, and who made it."""

from typing import NamedTuple

from annotation.models import Project
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import all_settings
from pipeline.rules.settings.guide import Change, changes

SHOWN = 20


class Past(NamedTuple):
    """One version."""

    row: SettingsVersion
    changes: list[Change]
    """The differences from the version before."""
    is_newest: bool
    begun_stay: bool
    """Images with answers did not follow it."""


def history(project: Project, *, whole: bool = False) -> tuple[list[Past], int]:
    """Return the newest versions, newest first, or all of them, and how many there are."""
    settings = all_settings(project.id)
    rows = list(SettingsVersion.objects.filter(project=project).order_by("-version").defer("values"))
    past = []
    for row in rows if whole else rows[:SHOWN]:
        before = settings.get(row.version - 1)
        changed = changes(before, settings[row.version]) if before is not None else []
        past.append(Past(row, changed, row.version == rows[0].version, row.begun_from == row.version))
    return past, len(rows)
