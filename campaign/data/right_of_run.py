"""The right of a run to read and write: asked when it begins, when it goes on, and twice a second meanwhile."""

from django.contrib.auth.models import User

from annotation.models import Project
from campaign.long_work import CannotBeDone
from campaign.models import ImportRun, ItemsFile
from members.may import Action, may, may_borrow_pictures, may_read_folders

Kind = ImportRun.Kind


def check_right(run: ImportRun, user: User | None) -> None:
    """Raise CannotBeDone if the account that began or resumed the run may not carry it out now."""
    if user is None or not may(user, Action.MANAGE, run.project_id):
        raise CannotBeDone("Whoever began this is no longer a requester of the project: another requester can resume.")
    if run.kind == Kind.IMPORT and run.source and not may_read_folders(user):
        raise CannotBeDone(f"{user} may not read folders and buckets of the server: an administrator gives the right.")
    if run.kind in (Kind.COPY, Kind.DRY_RUN):
        _check_source(user, run)
    if run.kind == Kind.ITEMS:
        _check_pictures(user, run)


def _check_pictures(user: User, run: ImportRun) -> None:
    given = ItemsFile.objects.select_related("source").filter(project=run.project_id).first()
    if given is None or not run.source:
        return
    if given.source is None:
        raise CannotBeDone(f"The project {run.source!r}, which has the pictures, was deleted: give the items anew.")
    if not may_borrow_pictures(user, given.source):
        raise CannotBeDone(f"{user} may not look at the project any more that has the pictures: {run.source}.")


def source_of_run(run: ImportRun) -> Project:
    """Return the project that a copy or a dry run is made of, by its id. Raises CannotBeDone if it was deleted."""
    source = Project.objects.filter(pk=run.source_project_id or 0).first()
    if source is None:
        raise CannotBeDone(f"The project {run.source!r}, of which this is a copy, was deleted.")
    return source


def _check_source(user: User, run: ImportRun) -> None:
    if not may(user, Action.MANAGE, source_of_run(run)):
        raise CannotBeDone(f"{user} does not manage the project {run.source!r} any more, of which this is a copy.")
