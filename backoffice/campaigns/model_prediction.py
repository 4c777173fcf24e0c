"""Admin pages of what programs predict, image by image."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from campaign.models import ModelPrediction


@admin.register(ModelPrediction)
class ModelPredictionAdmin(LargeAdmin):
    project_path = "project"
    list_display = ("id", "project", "program", "image", "due", "made_by", "created_at")
    list_filter = ("due", "project")
    list_select_related = ("project", "program", "image")
    search_fields = ("project__name", "program__name", "image__name")
    fields = ("project", "program", "image", "boxes", "chains", "due", "made_by", "created_at")
