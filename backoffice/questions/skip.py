"""Admin pages of skips: questions that a worker would not answer, and why."""

from django.contrib import admin

from backoffice.base import LargeAdmin
from backoffice.columns import row_link
from backoffice.questions.question_columns import ShowsQuestions
from pipeline.models import Skip


@admin.register(Skip)
class SkipAdmin(ShowsQuestions, LargeAdmin):
    project_path = "question__project"
    question_fields = ("question",)
    list_display = ("id", "question_link", "thumbnail", row_link("worker"), "reason", "comment", "created_at")
    list_filter = ("question__project", "reason")
    list_select_related = ("question__image__project", "worker")
    search_fields = ("worker__name", "comment")
    fields = ("question", "worker", "assignment", "reason", "comment", "created_at")
