"""Why money is not moved or refused, in words for the requester."""

from pipeline.errors import PipelineError


class LedgerError(PipelineError):
    """The ledger can't take this."""


class BadEntryError(LedgerError):
    """An amount, a reason, a reference or a name is missing or does not fit."""


class NoPartError(LedgerError):
    """The worker has had no part in this project."""


class ReferenceTakenError(LedgerError):
    """The reference names another payment already."""


class NotOwedError(LedgerError):
    """More than is owed can't be paid."""


class OverCapError(LedgerError):
    """The bonus would go beyond the project's spend cap."""


class NotSubmittedError(LedgerError):
    """The assignment was not handed in."""


class AlreadyPaidError(LedgerError):
    """What was paid can't be refused any more."""


class NothingToRefuseError(LedgerError):
    """The assignment earned nothing that could be refused."""


class NothingRefusedError(LedgerError):
    """No pay of this assignment is refused."""
