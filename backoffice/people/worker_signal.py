"""Admin pages of worker signals: hints of bad work, with their evidence."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from unfold.decorators import display

from backoffice.base import FiguresAdmin, ReadOnlyAdmin
from backoffice.columns import acted_on, row_link
from backoffice.filters import SignalKindFilter, TaskFilter
from backoffice.links import page_of
from pipeline.models import Judgment
from projects.quality.answers_of_task import word
from workers.models import Worker, WorkerSignal

LINKED = 40
"""Judgments that a signal's page links to."""
STATES = {"open": "warning", "no longer found": "info", "dismissed": "success"}


ACTS = acted_on("of the worker", lambda row: reverse("projects:worker", args=[row.project.name, row.workers[0]]))


@admin.register(WorkerSignal)
class WorkerSignalAdmin(FiguresAdmin, ReadOnlyAdmin):
    """A signal bars nobody: a requester decides about the worker, or dismisses it, on the worker's page."""

    list_display = ("__str__", "who", row_link("project"), "found", "rarity", "state", "found_at")
    list_filter = (
        *("project", SignalKindFilter, TaskFilter),
        *(("dismissed_at", admin.EmptyFieldListFilter), ("gone_at", admin.EmptyFieldListFilter)),
    )
    list_select_related = ("project",)
    search_fields = ("words", "note", "dismissed_by")
    readonly_fields = (*("kind", "of_task", "project", "who", "found", "rarity", "judgments", "state", ACTS),)
    fields = (*readonly_fields, "found_at", "gone_at", "note", "dismissed_by", "dismissed_at")

    def add_figures(self, rows: list[Any]) -> None:
        found = Worker.objects.in_bulk({worker_id for row in rows for worker_id in row.workers})
        for row in rows:
            row.named = [found[worker_id] for worker_id in row.workers if worker_id in found]

    @admin.display(description="workers")
    def who(self, row: Any) -> SafeString:
        return format_html_join(", ", "{}", ((page_of(Worker, one.pk, one.name),) for one in row.named))

    @admin.display(description="task")
    def of_task(self, row: WorkerSignal) -> str:
        return row.task.replace("_", " ") or "several, taken together"

    @admin.display(description="what was found")
    def found(self, row: WorkerSignal) -> str:
        return row.words

    @admin.display(description="how rare", ordering="chance")
    def rarity(self, row: WorkerSignal) -> str:
        return row.rarity

    @display(description="state", label=STATES)
    def state(self, row: WorkerSignal) -> str:
        if row.dismissed_at:
            return "dismissed"
        return "no longer found" if row.gone_at else "open"

    @admin.display(description="judgments")
    def judgments(self, row: WorkerSignal) -> SafeString:
        newest = Judgment.objects.filter(id__in=row.evidence["judgments"]).select_related("worker").order_by("-id")
        several = len(row.workers) > 1
        links = ((page_of(Judgment, one.pk, _in_short(one, with_name=several)),) for one in newest[:LINKED])
        in_all = f"{row.evidence['count']:,} in all, the newest:"
        return format_html("{}<br>{}", in_all, format_html_join(SafeString(" &middot; "), "{}", links))


def _in_short(judgment: Judgment, *, with_name: bool) -> str:
    name = f"{judgment.worker}: " if with_name else ""
    drawn = isinstance(judgment.answer, dict) and judgment.answer.get("box")
    return f"{name}{drawn or word(judgment.answer)}" + (f", {judgment.seconds:.1f} s" if judgment.seconds else "")
