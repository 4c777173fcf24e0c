"""Runs of long work, as tests begin and read them."""

from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from annotation.models import Project
from projects.data.operations import ImageCounts, NewImport, begin_import
from projects.forecast.operations import ForecastInput
from projects.models import Run
from projects.operation import Caller
from projects.operations import LONG_OPERATIONS
from projects.runs import start

INPUTS: dict[str, dict[str, Any]] = {
    "begin_import": NewImport().model_dump(),
    "begin_measurement": {"program": "net", "settings_version": 1},
    "begin_forecast": ForecastInput(settings_version=1).model_dump(),
    "begin_evaluation": {
        **{"step": "localization baselines", "unfinished": False, "name": "", "seed": 0},
        **{"files": {}, "options": {}},
    },
    "make_corrected_set": {"source": "", "pictures": False, "record": "0"},
    "copy_project": {"source": "gone", "source_id": 0},
}
"""The input of a run by its operation, where it has one."""


def some_run(project: Project, operation: str = "begin_import", *, given: Any = None, **values: Any) -> Run:
    """Write a run that nobody does. `given`: values of its input that are others than usual."""
    work = LONG_OPERATIONS[operation].work
    assert work is not None
    values = {"lane": work.lane, "input": INPUTS.get(operation, {}) | (given or {}), **values}
    return Run.objects.create(project=project, operation=operation, **values)


def import_begun(project: Project, user: User, source: Path | str = "", **given: Any) -> Run:
    """Begin an import as it was checked: of the source, or of the uploaded files."""
    return start(begin_import, project, Caller(user, "somebody"), NewImport(source=str(source), **given))


def imported(project: Project, user: User | None, source: Path | str = "", **given: Any) -> Run:
    """Begin an import as a page does. Raises Refused."""
    row = begin_import(project, NewImport(source=str(source), **given), Caller(user, "somebody"))
    return Run.objects.get(pk=row.id)


def counts(run: Run) -> ImageCounts:
    """Return the counts of the run as they are now."""
    return ImageCounts.model_validate(Run.objects.get(pk=run.pk).result)
