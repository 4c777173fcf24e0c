"""Failures of a call to a platform. The requester reads each message."""


class PlatformError(Exception):
    """The platform did not do it."""

    def __init__(self, message: str = "", *, out_of_reach: bool = False) -> None:
        """`out_of_reach`: the platform gave no answer at all; another call now would most likely wait in vain too."""
        super().__init__(message or self.__doc__)
        self.out_of_reach = out_of_reach


class PlatformOffError(PlatformError):
    """This platform is not set up."""


class RefusedError(PlatformError):
    """The platform refused. Nothing was done, and the same call would be refused again."""


class UnsureError(PlatformError):
    """The call may have taken effect or not: the platform gave no answer, or one that says to try again later."""


class NothingDoneError(PlatformError):
    """The call had no effect. The same call can be sent again."""


class UnknownVisitorError(PlatformError):
    """The platform did not send this visitor. The visitor reads the message."""


class OpenedElsewhereError(UnknownVisitorError):
    """Another browser opened this session first, and holds it."""
