"""The versions of a project's protocol settings: never edited, so that an old entry can be folded as it was."""

from django.db import transaction

from annotation.models import Project
from pipeline.models import SettingsVersion
from pipeline.rules.settings import ProtocolSettings


def current_settings(project_id: int) -> tuple[int, ProtocolSettings]:
    """The newest version's number and values. Every project has one from its first day."""
    newest = SettingsVersion.objects.filter(project_id=project_id).order_by("-version")[:1].get()
    return newest.version, ProtocolSettings.from_json(newest.values)


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
