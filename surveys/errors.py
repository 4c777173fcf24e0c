"""Errors of a survey: what is wrong, where, and what to do."""


class SurveyError(Exception):
    """The survey cannot be filled or read. The message names what is wrong, and what to do; nothing was written."""
