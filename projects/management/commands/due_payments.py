"""manage.py due_payments PROJECT PLATFORM: show what is due."""

from projects.management.command_for import command_for
from projects.recruiting.operations import due_payments

Command = command_for(due_payments)
