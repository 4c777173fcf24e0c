"""manage.py stock PROJECT: report on the known questions of a project, and add more."""

from projects.gold.known_question_operations import fill_stock
from projects.management.command_for import command_for

Command = command_for(fill_stock)
