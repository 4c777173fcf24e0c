"""manage.py reconcile PROJECT PLATFORM: compare a platform's payments with the ledger."""

from projects.management.command_for import command_for
from projects.recruiting.operations import reconcile

Command = command_for(reconcile)
