"""Why somebody cannot join. The docstring is the message that they read."""


class InvitationError(Exception):
    """This invitation cannot be used."""

    def __init__(self) -> None:
        super().__init__(self.__doc__)


class UnknownInvitationError(InvitationError):
    """There is no such invitation. Check that all of the link was copied, or ask who sent it for a new one."""


class ExpiredInvitationError(InvitationError):
    """This invitation has expired. Ask who sent it for a new one."""


class UsedUpInvitationError(InvitationError):
    """As many people as this invitation is meant for have joined. Ask who sent it for a new one."""
