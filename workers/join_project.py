"""Let somebody join a project by an invitation."""

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db import transaction

from workers.find_invitation import find_invitation
from workers.grant_access import grant_access
from workers.models import Invitation, Worker
from workers.worker_for import worker_for


@transaction.atomic
def join_project(*, code: str, user: User, all_tasks: Iterable[str]) -> Worker:
    """The user's worker, with access to the invitation's tasks (`all_tasks` if it names none); trusted if it says so.

    A user without an id is saved first, so that an account is made only together with its access. The invitation is
    locked while it counts; who has every access already is not counted again. InvitationError: nothing is written.
    """
    invitation = find_invitation(code, Invitation.objects.select_for_update())
    if user.pk is None:
        user.save()
    worker = worker_for(user)
    tasks = invitation.tasks or list(all_tasks)
    if grant_access(worker, invitation.project_id, tasks, trusted=invitation.trusted):
        invitation.joined += 1
        invitation.save(update_fields=["joined"])
    return worker
