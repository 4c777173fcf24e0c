"""manage.py project_state NAME STATE: start, pause, finish or archive a project."""

from projects.lifecycle.operations import move_project
from projects.management.command_for import command_for

Command = command_for(move_project)
