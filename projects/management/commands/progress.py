"""manage.py progress PROJECT: print how far a project is, and what it cost so far."""

from projects.lifecycle.operations import progress
from projects.management.command_for import command_for

Command = command_for(progress)
