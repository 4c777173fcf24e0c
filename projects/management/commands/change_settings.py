"""manage.py change_settings PROJECT FILE: change settings by name."""

from projects.management.command_for import command_for
from projects.settings.operations import change_by_name

Command = command_for(change_by_name)
