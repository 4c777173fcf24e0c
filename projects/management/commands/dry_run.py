"""manage.py dry_run PROJECT: let simulated workers annotate a scratch copy of some of a project's images."""

from projects.data.copy_operations import begin_dry_run
from projects.management.command_for import command_for

Command = command_for(begin_dry_run)
