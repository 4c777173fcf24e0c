"""manage.py status PROJECT PLATFORM: show how recruiting stands."""

from projects.management.command_for import command_for
from projects.recruiting.operations import recruiting_status

Command = command_for(recruiting_status)
