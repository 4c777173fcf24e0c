"""What a platform can answer instead of doing what it was asked. Each message is read by the requester."""


class PlatformError(Exception):
    """The platform did not do it."""

    def __init__(self, message: str = "", *, out_of_reach: bool = False) -> None:
        """`out_of_reach`: nothing answered; whatever else it were asked would most likely wait in vain as well."""
        super().__init__(message or self.__doc__)
        self.out_of_reach = out_of_reach


class PlatformOffError(PlatformError):
    """This platform is not set up."""


class RefusedError(PlatformError):
    """The platform refused: nothing was done, and the same again would be refused as well."""


class UnsureError(PlatformError):
    """Nobody knows whether the platform did it: the call got no answer, or one that says to try again later."""


class UnknownVisitorError(PlatformError):
    """Who knocks does not come from the platform as they should; the message is read by them."""


class NothingDoneError(PlatformError):
    """It is certain that nothing happened: the same can be said again."""
