"""Begin a dry run of a project: one at a time for each person, however often they press."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from campaign.data.runs import new_run, request_run
from campaign.lifecycle.dry_run import make_dry_run
from campaign.models import ImportRun


def begin_dry_run(project: Project, user: User | None) -> Project:
    """Return the scratch project of a new dry run, or of one that this user began and that has not ended."""
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # a second press waits for the first
        begun = ImportRun.objects.filter(
            kind=ImportRun.Kind.DRY_RUN, source_project=project, user=user, state__in=ImportRun.OPEN
        ).select_related("project")
        if mine := begun.first():
            return mine.project
        made = make_dry_run(project, user)
        run = new_run(made, user, ImportRun.Kind.DRY_RUN, project)
    request_run(run)
    return made
