"""Addresses of the requesters' API, version 1."""

from django.urls import path

from projects.api import (
    changes,
    doubts,
    exports,
    files,
    phrases,
    rows,
    settings,
)
from projects.api.operation_view import operation_paths
from projects.operations import OPERATIONS

app_name = "requester_api"
ONE = "projects/<slug:project>/"
urlpatterns = [
    *operation_paths(OPERATIONS),
    path(f"{ONE}settings/", settings.SettingsCall.as_view(), name="settings"),
    path(f"{ONE}judgments/", rows.JudgmentsCall.as_view(), name="judgments"),
    path(f"{ONE}votes/", rows.VotesCall.as_view(), name="votes"),
    path(f"{ONE}changes/", changes.ChangesCall.as_view(), name="changes"),
    path(f"{ONE}ledger/", rows.LedgerCall.as_view(), name="ledger"),
    path(f"{ONE}files/", files.FilesCall.as_view(), name="files"),
    path(f"{ONE}phrases/", phrases.PhrasesCall.as_view(), name="phrases"),
    path(f"{ONE}doubts/", doubts.DoubtsCall.as_view(), name="doubts"),
    path(f"{ONE}exports/<str:export_format>/<slug:record>/file/", exports.ExportFileCall.as_view(), name="export_file"),
]
