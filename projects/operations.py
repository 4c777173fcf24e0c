"""All operations of requesters that are declared once, from which calls of the API, commands and forms are derived."""

from typing import Any

from projects.data.operations import BEGIN_IMPORT, LEFT_OUT, LIST_IMPORTS, READ_IMPORT, STEER_IMPORT
from projects.data_card import CHANGE_CARD, READ_CARD
from projects.forecast.operations import BEGIN_FORECAST, LIST_FORECASTS, READ_FORECAST, STOP_FORECAST
from projects.lifecycle.operations import CREATE_PROJECT, LIST_PROJECTS, MOVE_PROJECT, PROGRESS
from projects.operation import Operation
from projects.predictions.judge_operations import LET_JUDGE, NAME_FAMILY, NOTE_PRICE
from projects.predictions.measure.operations import (
    LIST_MEASUREMENTS,
    MEASURE_PROGRAM,
    READ_MEASUREMENT,
    STOP_MEASUREMENT,
)
from projects.predictions.operations import LIST_PROGRAMS, SEND_PREDICTIONS

OPERATIONS: tuple[Operation[Any, Any, Any], ...] = (
    LIST_PROJECTS,
    CREATE_PROJECT,
    PROGRESS,
    MOVE_PROJECT,
    READ_CARD,
    CHANGE_CARD,
    LIST_FORECASTS,
    BEGIN_FORECAST,
    READ_FORECAST,
    STOP_FORECAST,
    LIST_MEASUREMENTS,
    MEASURE_PROGRAM,
    READ_MEASUREMENT,
    STOP_MEASUREMENT,
    LIST_PROGRAMS,
    SEND_PREDICTIONS,
    LIST_IMPORTS,
    BEGIN_IMPORT,
    READ_IMPORT,
    STEER_IMPORT,
    LEFT_OUT,
    LET_JUDGE,
    NOTE_PRICE,
    NAME_FAMILY,
)
