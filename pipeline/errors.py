"""What can be refused. The docstring is the message that a worker or requester reads."""


class PipelineError(Exception):
    """Something was refused."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.__doc__)


class NoAccessError(PipelineError):
    """You have no access to this task in this project. Ask the requester for it."""


class NotTrustedError(PipelineError):
    """Your answers to this task are not asked for at present."""


class BudgetSpentError(PipelineError):
    """The requester's budget is spent: nothing new is given out until it is raised. What you have begun is paid."""


class SessionOverError(PipelineError):
    """This session is over: it has had all its assignments, or it was given back."""


class NotFinishedError(PipelineError):
    """This session can't be handed in yet."""


class NoSuchAssignmentError(PipelineError):
    """There is no such assignment."""


class NotYoursError(PipelineError):
    """This assignment belongs to another worker."""


class AssignmentEndedError(PipelineError):
    """This assignment was returned. Its questions went to others."""


class BadAnswerError(PipelineError):
    """An answer does not fit its question."""


class StateMovedError(PipelineError):
    """Somebody else moved what was about to be moved. Nothing was written; trying again reads the new state."""
