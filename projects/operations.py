"""All operations of requesters that are declared once, from which calls of the API, commands and forms are derived."""

from typing import Any

from projects import runs
from projects.alerts import operations as alerts
from projects.dashboard import operations as dashboard
from projects.data import copy_operations as copies
from projects.data import export_operations as exports
from projects.data import operations as data
from projects.data import phrase_operations
from projects.data import row_operations as rows
from projects.evaluation import operations as evaluation
from projects.forecast import operations as forecast
from projects.forecast import study
from projects.gold import known_question_operations as known_questions
from projects.gold import operations as gold
from projects.label_errors import operations as label_errors
from projects.lifecycle import operations as lifecycle
from projects.operation import Operation
from projects.people import join_operations as joining
from projects.people import operations as people
from projects.predictions import operations as predictions
from projects.predictions.measure import operations as measure
from projects.recruiting import decisions
from projects.recruiting import operations as recruiting
from projects.review import operations as review
from projects.settings import operations as settings
from projects.surveys import import_items as items
from projects.surveys import results

ROOMS = (
    *(lifecycle, runs, forecast, measure, evaluation, predictions, data, copies, exports, items),
    *(alerts, people, joining, gold, known_questions, settings, rows, label_errors),
    *(dashboard, study, results, phrase_operations, review, recruiting, decisions),
)
OPERATIONS: tuple[Operation[Any, Any, Any], ...] = tuple(
    value for room in ROOMS for value in vars(room).values() if isinstance(value, Operation)
)
LONG_OPERATIONS = {operation.name: operation for operation in OPERATIONS if operation.work}
"""The operations that begin long work, by name."""
