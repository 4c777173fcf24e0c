"""manage.py wrong_labels PROJECT: estimate how many labels of a checked data set are wrong, before and after."""

from projects.label_errors.operations import estimate_wrong_labels
from projects.management.command_for import command_for

Command = command_for(estimate_wrong_labels)
