"""manage.py change_data_card PROJECT: tell something of the data set for the card beside its exports."""

from projects.data_card import change_card
from projects.management.command_for import command_for

Command = command_for(change_card)
