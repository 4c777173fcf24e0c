"""The money of a project's workers as CSV: what `manage.py ledger --csv` writes."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.models import Project
from campaign.access import managers_only
from pipeline.settings_versions import current_settings
from reports.owed import money_of, write_table


@require_safe
@managers_only
def ledger(request: HttpRequest, project: Project) -> HttpResponse:
    """Send one line for each worker: earned, paid, owed, and the pay per hour."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.name}-ledger.csv"'
    response["Cache-Control"] = "no-store"
    write_table(money_of(project.pk), current_settings(project.pk)[1].currency, response)
    return response
