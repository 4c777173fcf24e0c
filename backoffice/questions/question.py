"""Admin pages of questions."""

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from backoffice.base import Part
from backoffice.columns import chain_link, row_link
from backoffice.links import page_of
from backoffice.stock.promote import PromotesQuestions
from pipeline.models import Assignment, Judgment, Question, Transition


@admin.register(Question)
class QuestionAdmin(PromotesQuestions):
    list_display = ("__str__", row_link("image"), "subject", chain_link, "state", "outcome", "leased_to", "opened_at")
    list_filter = ("project", "task", "state", "for_people")
    list_select_related = ("image", "assignment__worker")
    search_fields = ("image__name", "outcome")
    fields = (
        *("project", "image", "task", "number", "story", "answers", "subject", chain_link, "state", "outcome"),
        *("promotion", "assignment", "barred", "for_people", "opened_at"),
    )
    readonly_fields = ("story", "answers", "promotion", chain_link)
    parts = (
        Part(Judgment, lambda row: {"question__id__exact": row.pk}),
        Part(
            Transition,
            lambda row: {"image__id__exact": row.image_id, "machine": "question", "subject__exact": row.number},
        ),
    )

    @admin.display(description="leased to")
    def leased_to(self, row: Question) -> SafeString | str:
        return page_of(Assignment, row.assignment_id, row.assignment.worker.name) if row.assignment else "-"

    @admin.display(description="judgments")
    def answers(self, row: Question) -> SafeString | str:
        judgments = row.judgments.select_related("worker")
        links = ((page_of(Judgment, judgment.pk, str(judgment)),) for judgment in judgments)
        return format_html_join(SafeString("<br>"), "{}", links) or "none yet"
