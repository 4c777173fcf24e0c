"""manage.py note_price PROJECT PROGRAM: note what 1,000 answers of a program cost."""

from projects.management.command_for import command_for
from projects.predictions.operations import note_price

Command = command_for(note_price)
