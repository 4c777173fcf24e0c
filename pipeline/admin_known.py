"""Admin pages of the stock of verification questions: to read, and to retire."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from annotation.admin import LargeAdmin, pretty, row_link
from pipeline.known_questions import retire_known
from pipeline.models import KnownQuestion


class KnownQuestionAdmin(LargeAdmin):
    list_display = ("__str__", row_link("image"), "truth", "source", "added_by", "created_at", "retired_at")
    list_filter = ("project", "task", "source", ("retired_at", admin.EmptyFieldListFilter))
    list_select_related = ("image",)
    search_fields = ("image__name", "added_by")
    fields = ("project", "task", "image", pretty("shown"), "truth", "source", "added_by", "created_at", "retired_at")
    readonly_fields = (fields[3],)
    actions = ("retire",)  # type: ignore[assignment]  # the pages above have none

    def has_retire_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("pipeline.change_knownquestion")

    @admin.action(description="Retire: ask no more", permissions=["retire"])
    def retire(self, request: HttpRequest, rows: QuerySet[KnownQuestion]) -> None:
        retired = sum(retire_known(row.pk) for row in rows)
        messages.success(request, f"{retired} verification questions retired. What workers answered counts as before.")


admin.site.register(KnownQuestion, KnownQuestionAdmin)
