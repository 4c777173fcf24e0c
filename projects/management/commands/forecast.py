"""manage.py forecast PROJECT: forecast cost, time and quality under every way to ask, with simulated workers."""

from projects.forecast.operations import begin_forecast
from projects.management.command_for import command_for

Command = command_for(begin_forecast)
