"""manage.py let_judge PROJECT PROGRAM: let a program judge, or set it aside."""

from projects.management.command_for import command_for
from projects.predictions.operations import let_judge

Command = command_for(let_judge)
