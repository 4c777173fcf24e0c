"""Begin a dry run of a project: one at a time for each person, however often they press."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Project
from campaign.data.runs import begin, request_run
from campaign.lifecycle.dry_run import make_dry_run
from campaign.models import ImportRun


def begin_dry_run(project: Project, user: User | None) -> Project:
    """Return the scratch project of a new dry run, or of one that this user began and that has not ended."""
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # a second press waits for the first
        open_runs = ImportRun.objects.filter(
            kind=ImportRun.Kind.DRY_RUN, source_project=project, user=user, state__in=ImportRun.OPEN
        ).select_related("project")
        if mine := open_runs.first():
            return mine.project
        made = make_dry_run(project, user)
        run = begin(made, user, ImportRun.Kind.DRY_RUN, project, at_once=False)
    request_run(run)
    return made
