"""manage.py steer_import PROJECT RUN pause|resume|cancel: steer an import or other work on all images."""

from projects.data.operations import steer_import
from projects.management.command_for import command_for

Command = command_for(steer_import)
