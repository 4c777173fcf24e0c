"""Admin pages of predictions."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import CampaignPrediction


@admin.register(CampaignPrediction)
class CampaignPredictionAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "state", "crowd", "workers", "bad_percent", "sample", "done", "total", "asked_at")
    list_filter = ("project", "state", "crowd")
    list_select_related = ("project",)
    search_fields = ("project__name", "user__username")
    fields = (
        *("project", "user", "state", "stopped", "crowd", "workers", "bad_percent", "trusted", "sample", "repetitions"),
        *("seed", "settings_version", "done", "total", "values", "problem", "asked_at", "begun_at", "ended_at"),
    )
