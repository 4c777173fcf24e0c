"""Errors of `messaging`. The docstring is the message that people read."""

from pipeline.errors import PipelineError


class BadMessageError(PipelineError):
    """Write a message of 1 to 2,000 characters."""


class NoSuchConversationError(PipelineError):
    """There is no such project, assignment or conversation, or you have no part in it."""


class TooManyMessagesError(PipelineError):
    """You have written many messages. Wait an hour, then write again; everything you wrote has arrived."""
