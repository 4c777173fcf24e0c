"""Store what is learned: the version of the settings that a refit adds, and what the next one pulls towards."""

from django.db import transaction

from belief.learned import LearnedState
from pipeline.models import SettingsVersion
from pipeline.project.learned_states import given_in, refitted
from pipeline.project.settings_versions import hold_settings, newest_version


def given_to(project_id: int) -> LearnedState:
    """Return what people gave the project, and not what it has learned, or the project that it is a copy of.

    After several refits it is still that. Else each refit would count the same answers once more.
    """
    return given_in(newest_version(project_id).learned)


@transaction.atomic
def store_learned(project_id: int, version: int, learned: LearnedState, reason: str, *, answers: int) -> int | None:
    """Put what a refit learned in place of this version, and return its number; None if a newer one has come.

    `answers`: their number. The settings stay, and begun images follow as before.
    """
    if hold_settings(project_id)[0] != version:
        return None
    newest = newest_version(project_id)
    row = SettingsVersion(
        project_id=project_id,
        version=version + 1,
        values=newest.values,
        learned=refitted(project_id, newest.learned, learned),
        reason=reason,
        learned_from=answers,
        begun_from=newest.begun_from,
    )
    row.save()
    return row.version
