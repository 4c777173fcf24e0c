"""Save a change of settings and terms, unless somebody else has changed them since it was looked at."""

from typing import Any, NamedTuple

from django.db import transaction

from annotation.models import Project
from campaign.settings_form.draft import Draft, rebased, terms_of_project
from pipeline.project.settings_versions import change_settings, current_settings, newest_chosen
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.settings.protocol import ProtocolSettings


class MovedError(Exception):
    """Somebody else saved in the meantime."""


class Change(NamedTuple):
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


def to_be_in_force(draft: Draft, chosen: ProtocolSettings, in_force: ProtocolSettings, act: str) -> ProtocolSettings:
    """Return the settings that the draft leads to. What was learned stays where its author chose nothing else."""
    return draft.settings if act == "forget" else rebased(draft.settings, chosen, in_force)


def save(project_id: int, change: Change) -> int:
    """Save the terms and, if the settings differ, a new version. Returns the number of the newest version.

    Raises MovedError if somebody else saved in the meantime.
    """
    if not change.begun_follow:
        fold_judgments(project_id=project_id)  # an image with an answer on its way counts as begun
    return _save(project_id, change)


@transaction.atomic
def _save(project_id: int, change: Change) -> int:
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
    return change_settings(
        project_id=project_id,
        settings=settings,
        reason=change.reason,
        made_by=change.made_by,
        begun_follow=change.begun_follow,
    )
