"""manage.py name_family PROJECT PROGRAM: name the family of a program."""

from projects.management.command_for import command_for
from projects.predictions.judge_operations import NAME_FAMILY

Command = command_for(NAME_FAMILY)
