"""manage.py import_predictions PROJECT FILE --program NAME: let workers judge boxes that a program predicts."""

from projects.management.command_for import command_for
from projects.predictions.operations import SEND_PREDICTIONS

Command = command_for(SEND_PREDICTIONS)
