"""Errors that are told to the user as one sentence, without a trace."""


class InputError(Exception):
    """An input that cannot be used: the file, the line if there is one, what is wrong, and what to do."""


class MissingExtra(InputError):
    """A step needs a package that is not installed."""
