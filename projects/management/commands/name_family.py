"""manage.py name_family PROJECT PROGRAM: name the family of a program."""

from projects.management.command_for import command_for
from projects.predictions.operations import name_family

Command = command_for(name_family)
