"""The invitation behind a link, if people can still join by it."""

from datetime import datetime

from django.db.models import QuerySet
from django.utils import timezone

from workers.errors import ExpiredInvitationError, UnknownInvitationError, UsedUpInvitationError
from workers.models import Invitation


def find_invitation(code: str, rows: QuerySet[Invitation] | None = None, *, now: datetime | None = None) -> Invitation:
    """`rows`: where to look, locked or not. Raises the InvitationError that says why nobody can join by it."""
    rows = Invitation.objects.all() if rows is None else rows
    # A null character is no text to PostgreSQL.
    invitation = rows.filter(code=code).first() if code.isprintable() else None
    if invitation is None:
        raise UnknownInvitationError
    if invitation.expires_at is not None and invitation.expires_at <= (now or timezone.now()):
        raise ExpiredInvitationError
    if invitation.most is not None and invitation.joined >= invitation.most:
        raise UsedUpInvitationError
    return invitation
