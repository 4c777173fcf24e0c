"""Reasons for which a draft cannot be started yet. Other rooms add theirs to CHECKS."""

from collections.abc import Callable

from annotation.models import Project
from campaign.lifecycle.newcomers import missing_stock

Check = Callable[[Project], list[str]]


def missing_data(project: Project) -> list[str]:
    """Return a sentence if the draft has nothing that workers could be asked about."""
    if project.survey:
        return _missing_items(project)
    if not project.images.exists():
        return ["It has no images: import some on its page “Data”."]
    if not project.images.filter(mentions__isnull=False).exists():
        return ["No image has phrases: mark them in the captions as [a man], or have them found on the page “Phrases”."]
    return _running(project)


def _missing_items(project: Project) -> list[str]:
    if running := _running(project):
        return running
    if not project.questions.exists():
        return ["It asks nothing yet: import items on its page “Items”."]
    return []


def _running(project: Project) -> list[str]:
    if project.import_runs.filter(state__in=["waiting", "running"]).exists():
        return ["An import is running: wait for its end, pause it or cancel it."]
    return []


CHECKS: list[Check] = [missing_data, missing_stock]


def missing_before_start(project: Project) -> list[str]:
    """Return what is missing before the draft can be started, in sentences; empty: nothing is."""
    return [reason for check in CHECKS for reason in check(project)]
