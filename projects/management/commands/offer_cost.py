"""manage.py offer_cost PROJECT PLATFORM: show what an offer may cost."""

from projects.management.command_for import command_for
from projects.recruiting.operations import offer_cost

Command = command_for(offer_cost)
