"""Begin an import of uploaded files, or of a folder or an address that an administrator allows."""

from django.contrib.auth.models import User

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.data.runs import begin
from campaign.data.sources import check_source, uploaded_source
from campaign.long_work import BusyError
from campaign.models import ImportRun, KnownBoxUse
from exchange.problems import source_error
from members.may import may_read_folders

CLOSED = (ProjectState.FINISHED.value, ProjectState.ARCHIVED.value)
NO_FOLDERS = "is not read: to import from folders and buckets of the server is a right that an administrator gives"


def begin_import(
    project: Project,
    user: User | None,
    source: str = "",
    *,
    gold: bool = False,
    boxes: str = KnownBoxUse.CATEGORIES.value,
) -> ImportRun:
    """Request the import. `source`: empty for the uploaded files. `boxes`: the use of boxes that have no chain.

    Raises BusyError while the project takes none, and SourceError without something to import.
    """
    if project.state in CLOSED:
        raise BusyError("The project is finished: reopen it before more images come in.")
    if source:
        if user is None or not may_read_folders(user):
            raise source_error(source[:200], NO_FOLDERS)
        source = check_source(source)
    else:
        uploaded_source(project)
    return begin(project, user, ImportRun.Kind.IMPORT, source, gold=gold, boxes=boxes)
