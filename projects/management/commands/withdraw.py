"""manage.py withdraw PROJECT PLATFORM: stop offering work."""

from projects.management.command_for import command_for
from projects.recruiting.operations import withdraw

Command = command_for(withdraw)
