"""manage.py measure_program PROJECT PROGRAM: measure a program by simulated workers, with it and without it."""

from projects.management.command_for import command_for
from projects.predictions.measure.operations import measure_program

Command = command_for(measure_program)
