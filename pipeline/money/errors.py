"""Errors of the ledger. The docstring is the message that the requester reads."""

from pipeline.errors import PipelineError


class LedgerError(PipelineError):
    """The ledger cannot take this entry."""


class BadEntryError(LedgerError):
    """The amount, the reason, the reference or the name is missing or not valid."""


class NoPartError(LedgerError):
    """The worker was never given an assignment in this project."""


class ReferenceTakenError(LedgerError):
    """This reference belongs to another payment already."""


class NotOwedError(LedgerError):
    """The amount is more than the worker is owed."""


class OverCapError(LedgerError):
    """The bonus would exceed the project's spend cap."""


class NotSubmittedError(LedgerError):
    """The assignment was not submitted."""


class AlreadyPaidError(LedgerError):
    """Pay that was paid out already cannot be refused."""


class NothingToRefuseError(LedgerError):
    """The assignment earned nothing that could be refused."""


class NothingRefusedError(LedgerError):
    """No pay of this assignment is refused."""
