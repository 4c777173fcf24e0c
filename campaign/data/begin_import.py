"""Begin an import of uploaded files, or of a folder or an address that an administrator allows."""

from django.contrib.auth.models import User

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.data.runs import BusyError, begin
from campaign.data.sources import check_source, uploaded_source
from campaign.models import ImportRun

CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)


def begin_import(project: Project, user: User | None, source: str = "", *, gold: bool = False) -> ImportRun:
    """Request the import. `source`: empty for the uploaded files.

    Raises BusyError while the project takes none, and SourceError without something to import.
    """
    if project.state in CLOSED:
        raise BusyError("The project is finished: reopen it before more images come in.")
    if source:
        source = check_source(source)
    else:
        uploaded_source(project)
    return begin(project, user, ImportRun.Kind.IMPORT, source, gold=gold)
