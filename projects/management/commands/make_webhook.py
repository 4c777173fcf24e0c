"""manage.py make_webhook PROJECT URL: let a program get the project's alerts."""

from projects.alerts.operations import make_webhook
from projects.management.command_for import command_for

Command = command_for(make_webhook)
