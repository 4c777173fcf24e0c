"""Admin pages of the record and of what is asked: to read, to find, and to follow from one to the next."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from backoffice.data.annotation_admin import LargeAdmin, Part, chain_link, page_of, pretty, row_link
from backoffice.filters import KindFilter, MachineFilter
from backoffice.money.remedies import RemediesAdmin
from backoffice.stock.promote import PromotingAdmin
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Progress, Question, Skip, Transition


class QuestionAdmin(PromotingAdmin):
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


class AssignmentAdmin(RemediesAdmin):
    list_display = (
        *("__str__", row_link("worker"), row_link("project"), "state", "verdict", "size", "earned_cents"),
        *("created_at", "expires_at"),
    )
    list_filter = ("project", "task", "state", "kind", "verdict")
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "=token")
    fields = (
        *("worker", "project", "task", "kind", "state", "story", "asked", "created_at", "expires_at", "ended_at"),
        *("reward_cents", "earned_cents", "verdict", "verdict_reason", "token"),
    )
    readonly_fields = ("story", "asked")
    parts = (Part(Judgment, lambda row: {"assignment__id__exact": row.pk}),)

    @admin.display(description="questions")
    def size(self, row: Assignment) -> int:
        return row.size

    @admin.display(description="questions, in the order shown")
    def asked(self, row: Assignment) -> SafeString:
        found = Question.objects.select_related("image").in_bulk(row.questions)
        # A question that an expert's act or a removal took away is still named in the assignment.
        shown = [found[number] for number in row.questions if number in found]
        links = ((page_of(Question, question.pk, f"{question.image}: {question}"),) for question in shown)
        return format_html_join(SafeString("<br>"), "{}", links)


class JudgmentAdmin(LargeAdmin):
    list_display = (
        "__str__",
        "task",
        row_link("question"),
        "image",
        row_link("worker"),
        "right",
        "seconds",
        "created_at",
    )
    list_filter = ("question__project", "question__task", "worker__kind")
    list_select_related = ("question__image", "known__image", "worker")
    search_fields = ("worker__name", "question__image__name", "comment")
    fields = (
        *("question", "known", "image", "worker", "assignment", "answer", "right"),
        *("comment", "seconds", "created_at", "record"),
    )
    readonly_fields = ("image", "record")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        own = ("question__image__id__exact", "question__chain__exact")  # links of the pages of images and chains
        return lookup in own or super().lookup_allowed(lookup, value, request)

    @admin.display(description="task", ordering="question__task")
    def task(self, row: Judgment) -> str:
        return _asked(row).task

    @admin.display(description="image", ordering="question__image")
    def image(self, row: Judgment) -> SafeString:
        image = _asked(row).image
        return page_of(type(image), image.pk, image.name)

    @admin.display(description="in the record")
    def record(self, row: Judgment) -> SafeString | str:
        if row.known_id:
            return "never: it is an answer to a verification question"
        entry = Entry.objects.filter(judgment=row).first()
        return page_of(Entry, entry.pk, f"entry {entry.sequence}") if entry else "not yet: it has not acted"


def _asked(row: Judgment) -> Question | KnownQuestion:
    asked = row.question or row.known
    assert asked is not None  # the database sees to it
    return asked


class SkipAdmin(LargeAdmin):
    list_display = ("id", row_link("question"), row_link("worker"), "reason", "comment", "created_at")
    list_filter = ("reason",)
    list_select_related = ("question", "worker")
    search_fields = ("worker__name", "comment")
    fields = ("question", "worker", "assignment", "reason", "comment", "created_at")


class EntryAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), row_link("judgment"), "actor", "reason", "created_at")
    list_filter = ("project", KindFilter)
    list_select_related = ("image", "judgment__worker")
    search_fields = ("image__name", "actor", "reason")
    fields = (
        *("image", "sequence", "kind", "judgment", "story", "settings_version", "actor", "reason", "created_at"),
        pretty("data"),
    )
    readonly_fields = ("story", fields[-1])
    parts = (
        Part(
            Transition, lambda row: {"image__id__exact": row.image_id, "sequence__exact": row.sequence}, "moves caused"
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).defer("data")  # an import's holds a whole image


class TransitionAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), "reason", "cause", "created_at")
    list_filter = ("project", MachineFilter)
    list_select_related = ("image",)
    search_fields = ("image__name", "reason")
    fields = ("image", "machine", "subject", "old", "new", "reason", "cause", "created_at")
    readonly_fields = ("cause",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transition]:
        cause = Entry.objects.filter(image=OuterRef("image"), sequence=OuterRef("sequence"))
        return super().get_queryset(request).annotate(cause_pk=Subquery(cause.values("pk")[:1]))

    @admin.display(description="caused by")
    def cause(self, row: Any) -> SafeString | str:
        return page_of(Entry, row.cause_pk, f"entry {row.sequence}") if row.cause_pk else f"entry {row.sequence}"


class ProgressAdmin(LargeAdmin):
    list_display = ("image", "image_page", "project", "sequence", "due")
    list_filter = ("project", "due")
    list_select_related = ("image", "project")
    search_fields = ("image__name",)
    ordering = ("-image",)
    fields = ("image", "project", "sequence", "due", pretty("state"))
    readonly_fields = ("image", fields[-1])

    def get_queryset(self, request: HttpRequest) -> QuerySet[Progress]:
        return super().get_queryset(request).defer("state")

    @admin.display(description="its image")
    def image_page(self, row: Progress) -> SafeString:
        return page_of(type(row.image), row.image_id, "open")


for model, page in {
    Question: QuestionAdmin,
    Assignment: AssignmentAdmin,
    Judgment: JudgmentAdmin,
    Entry: EntryAdmin,
    Transition: TransitionAdmin,
    Progress: ProgressAdmin,
    Skip: SkipAdmin,
}.items():
    admin.site.register(model, page)
