"""manage.py forecast PROJECT: forecast cost, time and quality under every way to ask, with simulated workers."""

from projects.forecast.operations import BEGIN_FORECAST
from projects.management.command_for import command_for

Command = command_for(BEGIN_FORECAST)
