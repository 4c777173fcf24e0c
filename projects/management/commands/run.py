"""manage.py run PROJECT RUN pause|resume|cancel: steer long work."""

from projects.management.command_for import command_for
from projects.runs import steer_run

Command = command_for(steer_run)
