"""manage.py delete_dry_run PROJECT: delete a dry run with everything in it."""

from projects.data.copy_operations import delete_scratch
from projects.management.command_for import command_for

Command = command_for(delete_scratch)
