"""manage.py study PROJECT: hold a study with people against what was simulated of it."""

from projects.forecast.study import study
from projects.management.command_for import command_for

Command = command_for(study)
