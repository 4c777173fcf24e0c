"""manage.py change_data_card PROJECT: change the card that stands beside exports."""

from projects.lifecycle.operations import change_card
from projects.management.command_for import command_for

Command = command_for(change_card)
