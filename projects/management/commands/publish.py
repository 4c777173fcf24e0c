"""manage.py publish PROJECT PLATFORM: offer work on a platform."""

from projects.management.command_for import command_for
from projects.recruiting.operations import publish

Command = command_for(publish)
