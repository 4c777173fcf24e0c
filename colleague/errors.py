"""Errors: those that end a command with one sentence, and replies that are no answer."""


class ColleagueError(Exception):
    """A command cannot go on. The message says what is wrong, where, and what to do."""

    exit_code = 1


class WrongUse(ColleagueError):
    """A command was called with options, files or keys that cannot be used."""

    exit_code = 2


class ServiceError(ColleagueError):
    """The service refused a call, or could not be reached. `status`: of HTTP, 0 without one; `code`: of the refusal."""

    def __init__(self, message: str, *, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


class BudgetSpent(ColleagueError):
    """No further call fits into the budget."""


class Stopped(ColleagueError):
    """A call failed and was not tried again, because the run ends."""


class NoAnswer(Exception):
    """A reply that is no answer to the question, which is skipped. The message is the reason, in a few words."""


class NoPicture(NoAnswer):
    """A picture that cannot be loaded or read."""
