"""manage.py steer_import PROJECT RUN pause|resume|cancel: steer an import or other work on all images."""

from projects.data.operations import STEER_IMPORT
from projects.management.command_for import command_for

Command = command_for(STEER_IMPORT)
