"""Delete a dry run with everything in it, the answers of its simulated workers included."""

from django.db import transaction

from annotation.models import Project
from campaign.models import ImportRun
from campaign.models.long_work import Wanted
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Skip, Transition
from workers.models import TrustChange, TrustStatus, Worker

AT_ONCE = 200


class NotDryError(ValueError):
    """The project is not a dry run, or something other than a simulated worker has worked in it."""


def delete_dry_run(project: Project) -> None:
    """Delete the dry run. Its work stops first, at its next answer.

    Raises NotDryError: of a real project no answer is ever deleted.
    """
    if not project.dry_run:
        raise NotDryError("This project is not a dry run: nothing was deleted.")
    if Assignment.objects.filter(project=project).exclude(worker__kind=Worker.Kind.VIRTUAL).exists():
        raise NotDryError("A person or a program has worked in this dry run: nothing was deleted.")
    if LedgerEntry.objects.filter(project=project).exists():
        raise NotDryError("Money was booked in this dry run: nothing was deleted.")
    ImportRun.objects.filter(project=project, state__in=ImportRun.OPEN).update(wanted=Wanted.CANCEL)
    _delete(project)


@transaction.atomic
def _delete(project: Project) -> None:
    """Delete rows before those that they hang on."""
    Project.objects.select_for_update().get(pk=project.pk)
    workers = list(Worker.objects.filter(accesses__project=project, kind=Worker.Kind.VIRTUAL).distinct())
    Transition.objects.filter(project=project).delete()
    Entry.objects.filter(project=project).delete()
    Skip.objects.filter(assignment__project=project).delete()
    Judgment.objects.filter(assignment__project=project).delete()
    Assignment.objects.filter(project=project).delete()
    TrustChange.objects.filter(project=project).delete()
    TrustStatus.objects.filter(project=project).delete()
    while ids := list(project.images.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        project.images.filter(pk__in=ids).delete()
    project.delete()
    # A worker of another project, too, is not a worker of this dry run alone.
    alone = [one.pk for one in workers if not one.accesses.exists() and not one.assignments.exists()]
    Worker.objects.filter(pk__in=alone).delete()
