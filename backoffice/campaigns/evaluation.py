"""Admin pages of evaluations and predictions."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from projects.models import CampaignPrediction, Evaluation


@admin.register(Evaluation)
class EvaluationAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "step", "name", "state", "images", "asked_at", "ended_at")
    list_filter = ("project", "state", "step")
    list_select_related = ("project",)
    search_fields = ("project__name", "user__username", "name")
    fields = (
        *("project", "user", "step", "name", "unfinished", "options", "given", "state", "stopped", "doing", "done"),
        *("total", "images", "problem", "asked_at", "begun_at", "ended_at", "values"),
    )


@admin.register(CampaignPrediction)
class CampaignPredictionAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "state", "crowd", "workers", "bad_percent", "sample", "done", "total", "asked_at")
    list_filter = ("project", "state", "crowd")
    list_select_related = ("project",)
    search_fields = ("project__name", "user__username")
    fields = (
        *("project", "user", "state", "stopped", "crowd", "workers", "bad_percent", "trusted"),
        *("program_errors", "good_percent", "sample", "repetitions"),
        *("seed", "settings_version", "done", "total", "values", "problem", "asked_at", "begun_at", "ended_at"),
    )
