"""Errors of `messaging`, with the messages that people read."""

from django.utils.translation import gettext_noop

from pipeline.errors import PipelineError


class BadMessageError(PipelineError):
    message = gettext_noop("Write a message of 1 to 2,000 characters.")


class NoSuchConversationError(PipelineError):
    message = gettext_noop("There is no such project, assignment or conversation, or you have no part in it.")


class TooManyMessagesError(PipelineError):
    message = gettext_noop(
        "You have written many messages. Wait an hour, then write again; everything you wrote has arrived."
    )
