"""manage.py pay PROJECT PLATFORM DIGEST: settle what due_payments showed."""

from projects.management.command_for import command_for
from projects.recruiting.operations import pay

Command = command_for(pay)
