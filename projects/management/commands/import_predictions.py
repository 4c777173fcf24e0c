"""manage.py import_predictions PROJECT FILE --program NAME: let workers judge boxes that a program predicts."""

from projects.management.command_for import command_for
from projects.predictions.operations import send_predictions

Command = command_for(send_predictions)
