"""manage.py let_judge PROJECT PROGRAM: let a program judge, or set it aside."""

from projects.management.command_for import command_for
from projects.predictions.judge_operations import LET_JUDGE

Command = command_for(LET_JUDGE)
