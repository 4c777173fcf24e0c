"""manage.py invite PROJECT: make a link by which workers join, and print it."""

from projects.management.command_for import command_for
from projects.people.join_operations import invite_workers

Command = command_for(invite_workers)
