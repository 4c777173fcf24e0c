"""Admin pages of a project's settings: each version with what it changed, by whom and why."""

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import acted_on, pretty, row_link
from pipeline.models import SettingsVersion
from pipeline.project.learned_states import learned_values

ACTS = acted_on("Settings", lambda row: reverse("projects:settings", args=[row.project.name]))


@admin.register(SettingsVersion)
class SettingsVersionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", row_link("project"), "reason", "made_by", "created_at")
    list_filter = ("project",)
    list_select_related = ("project",)
    search_fields = ("project__name", "reason")
    ordering = ("project__name", "-version")
    fields = (
        *("project", "version", "reason", "made_by", "created_at", ACTS, "begun_from", "learned_from", "learned"),
        "changed",
        pretty("values"),
    )
    readonly_fields = (ACTS, "changed", fields[-1])

    def get_queryset(self, request: HttpRequest) -> QuerySet[SettingsVersion]:
        return super().get_queryset(request).defer("values")

    @admin.display(description="changed")
    def changed(self, row: SettingsVersion) -> SafeString | str:
        """List each setting that differs from the version before."""
        before = SettingsVersion.objects.filter(project=row.project_id, version=row.version - 1).first()
        if before is None:
            return "the first version"
        was, now = (one.values | learned_values(one.learned_id) for one in (before, row))
        names = sorted(name for name in {*was, *now} if was.get(name) != now.get(name))
        lines = ((name, json.dumps(was.get(name)), json.dumps(now.get(name))) for name in names)
        return format_html_join(SafeString("<br>"), "{}: {} &rarr; {}", lines) or format_html("nothing")
