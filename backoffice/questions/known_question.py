"""Admin pages of known questions, which are the verification questions."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.may import Action
from backoffice.base import LargeAdmin, Part
from backoffice.columns import acted_on, pretty, row_link
from backoffice.drawing import phrases_of, question_drawing
from pipeline.known.question_mix import answer_name
from pipeline.models import Judgment, KnownQuestion
from pipeline.protocol.tasks.task import Task

ACTS = acted_on("All known questions", lambda row: reverse("projects:known_questions", args=[row.project.name]))


@admin.register(KnownQuestion)
class KnownQuestionAdmin(LargeAdmin):
    to_see = Action.MANAGE
    list_display = (
        *("__str__", row_link("image"), "answer", "purpose", "right", "source", "added_by", "created_at", "retired_at"),
    )
    list_filter = ("project", "task", "purpose", "source", ("retired_at", admin.EmptyFieldListFilter))
    list_select_related = ("image",)
    search_fields = ("image__name", "added_by")
    fields = (
        *("project", "task", "image", "purpose", "phrases", "picture", "answer", "explanation", "story", "right", ACTS),
        *("source", "added_by", "created_at", "retired_at", pretty("truth"), pretty("shown")),
    )
    readonly_fields = ("phrases", "picture", "answer", "story", "right", ACTS, *fields[-2:])
    parts = (Part(Judgment, lambda row: {"known__id__exact": row.pk}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KnownQuestion]:
        own = Judgment.objects.filter(known=OuterRef("pk")).order_by().values("known")
        counts = {"answers": Count("pk"), "good": Count("pk", filter=Q(right=True))}
        columns = {name: Subquery(own.annotate(n=count).values("n")) for name, count in counts.items()}
        return super().get_queryset(request).annotate(**columns)

    @admin.display(description="right answer")
    def answer(self, row: KnownQuestion) -> str:
        return answer_name(Task(row.task), row.truth)

    @admin.display(description="right answers", ordering="good")
    def right(self, row: Any) -> str:
        return f"{row.good} of {row.answers}" if row.answers else "-"

    @admin.display(description="shows")
    def phrases(self, row: KnownQuestion) -> SafeString:
        return phrases_of(row.image_id, row.shown)

    @admin.display(description="boxes")
    def picture(self, row: KnownQuestion) -> SafeString:
        return question_drawing(row.image, row.shown, row.truth)
