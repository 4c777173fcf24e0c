"""Addresses of the requesters' API, version 1."""

from django.urls import path

from campaign.api import exports, projects, rows, settings

app_name = "requester_api"
ONE = "projects/<slug:project>/"
urlpatterns = [
    path("projects/", projects.ProjectsCall.as_view(), name="projects"),
    path(ONE, projects.ProjectCall.as_view(), name="project"),
    path(f"{ONE}state/", projects.StateCall.as_view(), name="state"),
    path(f"{ONE}settings/", settings.SettingsCall.as_view(), name="settings"),
    path(f"{ONE}judgments/", rows.JudgmentsCall.as_view(), name="judgments"),
    path(f"{ONE}ledger/", rows.LedgerCall.as_view(), name="ledger"),
    path(f"{ONE}exports/", exports.ExportsCall.as_view(), name="exports"),
    path(f"{ONE}exports/<str:export_format>/<slug:record>/", exports.ExportCall.as_view(), name="export"),
    path(f"{ONE}exports/<str:export_format>/<slug:record>/file/", exports.ExportFileCall.as_view(), name="export_file"),
]
