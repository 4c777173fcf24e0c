"""manage.py create_project: create a draft."""

from projects.lifecycle.operations import CREATE_PROJECT
from projects.management.command_for import command_for

Command = command_for(CREATE_PROJECT)
