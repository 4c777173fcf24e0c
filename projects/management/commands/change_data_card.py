"""manage.py change_data_card PROJECT: tell something of the data set for the card beside its exports."""

from projects.data_card import CHANGE_CARD
from projects.management.command_for import command_for

Command = command_for(CHANGE_CARD)
