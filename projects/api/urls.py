"""Addresses of the requesters' API, version 1."""

from django.urls import path

from projects.api import files
from projects.api.operation_view import operation_paths
from projects.operations import OPERATIONS

app_name = "requester_api"
ONE = "projects/<slug:project>/"
EXPORT_FILE = f"{ONE}exports/<str:export_format>/<slug:record>/file/"
urlpatterns = [
    *operation_paths(OPERATIONS),
    path(f"{ONE}votes/", files.VotesCall.as_view(), name="votes"),
    path(f"{ONE}changes/", files.ChangesCall.as_view(), name="changes"),
    path(f"{ONE}files/", files.FilesCall.as_view(), name="files"),
    path(EXPORT_FILE, files.ExportFileCall.as_view(), name="export_file"),
]
