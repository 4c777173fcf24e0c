"""manage.py create_project: create a draft."""

from projects.lifecycle.operations import create_project
from projects.management.command_for import command_for

Command = command_for(create_project)
