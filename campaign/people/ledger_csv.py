"""The money of a project's workers as CSV: what `manage.py ledger --csv` writes."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.models import Project
from campaign.access import managers_only
from pipeline.project.settings_versions import current_settings
from reports.worker_money import money_lines, money_of
from upkeep.downloads import download


@require_safe
@managers_only
def ledger(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Send one line for each worker: earned, paid, owed, and the pay per hour."""
    lines = money_lines(money_of(project.pk), current_settings(project.pk)[1].currency)
    return download(lines, f"{project.name}-ledger.csv")
