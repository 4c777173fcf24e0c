"""Admin pages of what programs predict, image by image, and of measurements of programs."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from projects.models import ModelMeasurement, ModelPrediction


@admin.register(ModelPrediction)
class ModelPredictionAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "program", "image", "due", "made_by", "created_at")
    list_filter = ("due", "project")
    list_select_related = ("project", "program", "image")
    search_fields = ("project__name", "program__name", "image__name")
    fields = ("project", "program", "image", "boxes", "chains", "due", "made_by", "created_at")


@admin.register(ModelMeasurement)
class ModelMeasurementAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "program", "state", "done", "total", "asked_at", "ended_at")
    list_filter = ("project", "state")
    list_select_related = ("project", "program")
    search_fields = ("project__name", "program__name", "user__username")
    fields = (
        *("project", "program", "user", "state", "stopped", "settings_version", "doing", "done", "total"),
        *("copy_without", "copy_with", "values", "problem", "asked_at", "begun_at", "ended_at"),
    )
