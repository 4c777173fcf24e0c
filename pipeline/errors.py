"""Errors of `pipeline`, each with the message that a worker reads; for requesters, who read English, the docstring."""

from django.utils.translation import gettext_noop


class PipelineError(Exception):
    """The request was refused."""

    message = ""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.message or self.__doc__)


class SignedOutError(PipelineError):
    message = gettext_noop("You were signed out. Sign in again; your answers are kept.")


class NoAccessError(PipelineError):
    message = gettext_noop("You have no access to this task in this project. Ask the requester for access.")


class NotTrustedError(PipelineError):
    message = gettext_noop("You are not asked to do this task at present.")


class NotSetToWorkError(NotTrustedError):
    message = gettext_noop("The requester has not set this program to work: on the page Models, “Let it judge” does.")


class NotForProgramsError(NotTrustedError):
    message = gettext_noop("Programs draw no boxes in this project: import the boxes that they predict.")


class NotRunningError(PipelineError):
    message = gettext_noop("This project gives no new questions at present.")


class BudgetSpentError(PipelineError):
    message = gettext_noop(
        "The requester's budget is spent, so there is no new work until it is raised. Work that you have begun is paid."
    )


class SessionOverError(PipelineError):
    message = gettext_noop("This session is over: you have had all its assignments, or you returned it.")


class NotFinishedError(PipelineError):
    message = gettext_noop("This session can't be submitted yet.")


class NoSuchAssignmentError(PipelineError):
    message = gettext_noop("There is no such assignment.")


class NotYoursError(PipelineError):
    message = gettext_noop("This assignment belongs to another worker.")


class AssignmentEndedError(PipelineError):
    message = gettext_noop("This assignment was returned. Its questions went to others.")


class BadAnswerError(PipelineError):
    message = gettext_noop("An answer does not fit its question.")


class NoPartsError(BadAnswerError):
    message = gettext_noop(
        "This project does not ask what is part of what. Answer “different” where one phrase is only part of the other."
    )


class StateMovedError(PipelineError):
    message = gettext_noop("A row changed after it was read, so nothing was written. Read it again and retry.")
