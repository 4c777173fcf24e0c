"""Close an invitation."""

from upkeep import clock
from workers.models import Invitation


def close_invitation(invitation: Invitation) -> None:
    """Let nobody join by this invitation from now on. One that has expired keeps its date."""
    now = clock.now()
    if invitation.expires_at is None or invitation.expires_at > now:
        invitation.expires_at = now
        invitation.save(update_fields=["expires_at"])
