"""manage.py known_questions PROJECT: report on the known questions of a project, and add more."""

from projects.gold.known_question_operations import add_known_questions
from projects.management.command_for import command_for

Command = command_for(add_known_questions)
