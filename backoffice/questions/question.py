"""Admin pages of questions."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from backoffice.base import OfChainAdmin, Part
from backoffice.columns import chain_link, row_link
from backoffice.links import anchor, page_of
from backoffice.questions.question_columns import ShowsQuestions, judgment_words
from pipeline.models import Assignment, Judgment, Question, Transition
from pipeline.protocol.tasks.task import QuestionState


@admin.register(Question)
class QuestionAdmin(ShowsQuestions, OfChainAdmin):
    list_display = (
        "in_words",
        "thumbnail",
        row_link("image"),
        chain_link,
        "state",
        "outcome",
        "leased_to",
        "opened_at",
    )
    list_filter = ("project", "task", "state", "for_people")
    list_select_related = ("image__project", "assignment__worker")
    search_fields = ("image__name",)
    fields = (
        *("in_words", "picture", "project", "image", "task", "number", "story", "answers", "subject", chain_link),
        *("state", "outcome", "value", "predicted"),
        *("promotion", "assignment", "barred", "for_people", "opened_at"),
    )
    readonly_fields = ("in_words", "picture", "story", "answers", "promotion", chain_link)
    parts = (
        Part(Judgment, lambda row: {"question__id__exact": row.pk}),
        Part(
            Transition,
            lambda row: {"image__id__exact": row.image_id, "machine": "question", "subject__exact": row.number},
        ),
    )

    @admin.display(description="known question")
    def promotion(self, row: Question) -> SafeString | str:
        if row.state != QuestionState.CLOSED.value:
            return "when it is closed"
        return anchor(reverse("projects:promote", args=[row.project.name, row.pk]), "use it as one")

    @admin.display(description="leased to")
    def leased_to(self, row: Question) -> SafeString | str:
        return page_of(Assignment, row.assignment_id, row.assignment.worker.name) if row.assignment else "-"

    @admin.display(description="judgments")
    def answers(self, row: Question) -> SafeString | str:
        judgments = row.judgments.select_related("worker")
        links = ((page_of(Judgment, judgment.pk, judgment_words(judgment)),) for judgment in judgments)
        return format_html_join(SafeString("<br>"), "{}", links) or "none yet"
