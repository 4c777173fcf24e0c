"""Admin pages of the samples in which reviewers counted errors."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from projects.models import ErrorSample


@admin.register(ErrorSample)
class ErrorSampleAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "seed", "made_by", "created_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("project__name", "made_by")
    fields = ("project", "seed", "images", "tallies", "made_by", "created_at")
