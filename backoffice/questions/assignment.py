"""Admin pages of assignments: the questions that a worker got at once, and what came of them."""

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from backoffice.base import LargeAdmin, Part
from backoffice.columns import acted_on, row_link
from backoffice.links import page_of
from pipeline.models import Assignment, Judgment, Question
from projects.quality.question_words import captions_of, words_of_question

ACTS = acted_on("Assignments", lambda row: reverse("projects:assignments", args=[row.project.name, row.worker_id]))


@admin.register(Assignment)
class AssignmentAdmin(LargeAdmin):
    list_display = (
        *("__str__", row_link("worker"), row_link("project"), "state", "acceptance", "size", "earned_cents"),
        *("created_at", "expires_at"),
    )
    list_filter = ("project", "task", "state", "kind", "acceptance")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "=token")
    fields = (
        *("worker", "project", "task", "kind", "state", "story", "asked", ACTS, "created_at", "expires_at"),
        *("ended_at", "reward_cents", "earned_cents", "acceptance", "acceptance_reason", "token"),
    )
    readonly_fields = ("story", "asked", ACTS)
    parts = (Part(Judgment, lambda row: {"assignment__id__exact": row.pk}),)

    @admin.display(description="questions")
    def size(self, row: Assignment) -> int:
        return row.size

    @admin.display(description="questions, in the order shown")
    def asked(self, row: Assignment) -> SafeString:
        found = Question.objects.select_related("image").in_bulk(row.questions)
        # The assignment still names questions that an expert's correction removed.
        shown = [found[number] for number in row.questions if number in found]
        said = captions_of(shown)
        links = ((page_of(Question, question.pk, words_of_question(question, said)),) for question in shown)
        return format_html_join(SafeString("<br>"), "{}", links)
