"""manage.py measure_program PROJECT PROGRAM: measure a program by simulated workers, with it and without it."""

from projects.management.command_for import command_for
from projects.predictions.measure.operations import MEASURE_PROGRAM

Command = command_for(MEASURE_PROGRAM)
