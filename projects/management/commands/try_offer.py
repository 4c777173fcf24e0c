"""manage.py try_offer PROJECT PLATFORM: offer the tests to test participants."""

from projects.management.command_for import command_for
from projects.recruiting.operations import try_offer

Command = command_for(try_offer)
