"""The versions of a project's protocol settings: never edited, so that an old entry can be folded as it was."""

import json
from functools import lru_cache

from django.db import transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from annotation.models import Project
from pipeline.models import SettingsVersion
from pipeline.rules.settings.protocol import ProtocolSettings

AS_TEXT = Cast("values", TextField())
"""A version's values as the text that `read_settings` takes."""


def current_settings(project_id: int) -> tuple[int, ProtocolSettings]:
    """The newest version's number and values. Every project has one from its first day."""
    newest = SettingsVersion.objects.filter(project_id=project_id).order_by("-version")
    version, values = newest.values_list("version", AS_TEXT)[:1].get()
    return version, read_settings(values)


@lru_cache(maxsize=64)
def read_settings(text: str) -> ProtocolSettings:
    """Kept by what they say: every request and fold reads them, and they hardly ever change."""
    return ProtocolSettings.from_json(json.loads(text))


def all_settings(project_id: int) -> dict[int, ProtocolSettings]:
    versions = SettingsVersion.objects.filter(project_id=project_id)
    return {row.version: ProtocolSettings.from_json(row.values) for row in versions}


@transaction.atomic
def open_project(*, name: str, settings: ProtocolSettings | None = None, title: str = "") -> Project:
    """The project of this name, made with these settings (the paper's if None) if it isn't there."""
    project, made = Project.objects.get_or_create(name=name, defaults={"title": title})
    if made:
        values = (settings or ProtocolSettings()).to_json()
        SettingsVersion(project=project, version=1, values=values, reason="project made").save()
    return project


@transaction.atomic
def change_settings(*, project_id: int, settings: ProtocolSettings, reason: str = "") -> int:
    """Add a version. Images go on under it from their next entry; what was decided stays."""
    Project.objects.select_for_update().get(id=project_id)
    version = current_settings(project_id)[0] + 1
    SettingsVersion(project_id=project_id, version=version, values=settings.to_json(), reason=reason).save()
    return version
