"""Admin pages of judgments and skips: what workers answered, and questions that they would not answer."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from backoffice.base import LargeAdmin
from backoffice.columns import row_link
from backoffice.links import page_of
from backoffice.questions.question_columns import ShowsQuestions, judgment_words
from pipeline.models import Entry, Judgment, Skip


@admin.register(Judgment)
class JudgmentAdmin(ShowsQuestions, LargeAdmin):
    project_path = "assignment__project"
    question_fields = ("question", "known")
    list_display = (
        *("said", "thumbnail", "question_link", "task", "image", row_link("worker")),
        *("right", "seconds", "created_at"),
    )
    list_filter = ("question__project", "question__task", "worker__kind")
    list_select_related = ("question__image__project", "known__image__project", "worker")
    search_fields = ("worker__name", "question__image__name", "comment")
    fields = (
        *("in_words", "picture", "said", "question", "known", "image", "worker", "assignment", "answer", "right"),
        *("comment", "seconds", "created_at", "record"),
    )
    readonly_fields = ("in_words", "picture", "said", "image", "record")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        own = ("question__image__id__exact", "question__chain__exact")  # links of the pages of images and chains
        return lookup in own or super().lookup_allowed(lookup, value, request)

    @admin.display(description="judgment")
    def said(self, row: Judgment) -> str:
        return judgment_words(row)

    @admin.display(description="task", ordering="question__task")
    def task(self, row: Judgment) -> str:
        return self.asked_of(row).task

    @admin.display(description="image", ordering="question__image")
    def image(self, row: Judgment) -> SafeString:
        image = self.asked_of(row).image
        return page_of(type(image), image.pk, image.name)

    @admin.display(description="in the record")
    def record(self, row: Judgment) -> SafeString | str:
        if row.known_id:
            return "never: it is an answer to a verification question"
        entry = Entry.objects.filter(judgment=row).first()
        return page_of(Entry, entry.pk, f"entry {entry.sequence}") if entry else "not yet: it has not acted"


@admin.register(Skip)
class SkipAdmin(ShowsQuestions, LargeAdmin):
    project_path = "question__project"
    question_fields = ("question",)
    list_display = ("id", "question_link", "thumbnail", row_link("worker"), "reason", "comment", "created_at")
    list_filter = ("question__project", "reason")
    list_select_related = ("question__image__project", "worker")
    search_fields = ("worker__name", "comment")
    fields = ("question", "worker", "assignment", "reason", "comment", "created_at")
