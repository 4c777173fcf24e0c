"""Begin to check a data set: a program stands for it, and the project asks where there is doubt about its labels."""

from dataclasses import replace

from annotation.models import Project
from pipeline.checking.begin_check import to_check, usual_audit_rate
from pipeline.project.settings_versions import change_settings, current_settings
from projects.predictions.import_predictions import ProgramError
from workers.models import Worker


def let_check(project: Project | None, program: str) -> None:
    """Raise ProgramError if the project checks another data set already. `program`: stands for the new one."""
    checked = current_settings(project.pk)[1].reference_set if project else 0
    other = Worker.objects.filter(pk=checked).exclude(name=program).first() if checked else None
    if other:
        raise ProgramError(f"The project checks “{other.name}” already: import “{program}” into a project of its own.")


def begin_check(project: Project, source: Worker, *, by: str = "") -> None:
    """Let the project's settings check what `source` says, unless they do. Raises ProgramError as `let_check`."""
    settings = current_settings(project.pk)[1]
    if settings.reference_set == source.pk:
        return
    let_check(project, source.name)
    changed = to_check(settings, source.pk)
    change_settings(project_id=project.pk, settings=changed, reason="a data set is checked", made_by=by)


def draw_check_audit(project: Project, chains: int, *, by: str = "") -> None:
    """Let people judge so many of the data set's chains at random that the share of wrong ones will be known.

    Nothing is changed where the settings draw an audit of a check already, or none at all.
    """
    settings = current_settings(project.pk)[1]
    if settings.reference_set and settings.audit_rate and not settings.check_audit_rate:
        changed = replace(settings, check_audit_rate=usual_audit_rate(chains))
        reason = "the share of wrong labels is estimated at random"
        change_settings(project_id=project.pk, settings=changed, reason=reason, made_by=by)
