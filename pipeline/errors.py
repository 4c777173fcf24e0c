"""Errors of `pipeline`. The docstring is the message that a worker or a requester reads."""


class PipelineError(Exception):
    """The request was refused."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.__doc__)


class SignedOutError(PipelineError):
    """You were signed out. Sign in again; your answers are kept."""


class NoAccessError(PipelineError):
    """You have no access to this task in this project. Ask the requester for access."""


class NotTrustedError(PipelineError):
    """You are not asked to do this task at present."""


class NotRunningError(PipelineError):
    """This project gives no new questions at present."""


class BudgetSpentError(PipelineError):
    """The requester's budget is spent, so there is no new work until it is raised. Work that you have begun is paid."""


class SessionOverError(PipelineError):
    """This session is over: you have had all its assignments, or you returned it."""


class NotFinishedError(PipelineError):
    """This session can't be submitted yet."""


class NoSuchAssignmentError(PipelineError):
    """There is no such assignment."""


class NotYoursError(PipelineError):
    """This assignment belongs to another worker."""


class AssignmentEndedError(PipelineError):
    """This assignment was returned. Its questions went to others."""


class BadAnswerError(PipelineError):
    """An answer does not fit its question."""


class StateMovedError(PipelineError):
    """A row changed after it was read, so nothing was written. Read it again and retry."""
