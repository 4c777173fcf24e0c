"""Admin pages of recruitments: on which platform a project's work is offered, and on what terms."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from unfold.decorators import display

from backoffice.base import Part, ReadOnlyAdmin
from backoffice.columns import acted_on, pretty, row_link
from backoffice.filters import platform_filter
from platforms.models import Offer, Payment, Recruitment, Session

TERMS = pretty("terms")
ACTS = acted_on("Recruiting", lambda row: reverse("projects:recruit", args=[row.project.name]))


def _place(row: Recruitment, through: str = "") -> dict[str, Any]:
    """Return the list filter for the rows of a recruitment; `through` leads from a row to its offer."""
    return {f"{through}platform": row.platform, f"{through}project__id__exact": row.project_id}


@admin.register(Recruitment)
class RecruitmentAdmin(ReadOnlyAdmin):
    list_display = ("__str__", row_link("project"), "platform", "on", "looked_at")
    list_filter = ("project", platform_filter(), "active")
    list_select_related = ("project",)
    search_fields = ("platform", "project__name", "started_by")
    readonly_fields = ("on", "offered", "story", ACTS, TERMS)
    fields = ("project", "platform", "on", "offered", "story", ACTS, "started_by", "created_at", "looked_at", TERMS)
    parts = (
        Part(Offer, _place),
        Part(Session, lambda row: _place(row, "offer__")),
        Part(Payment, lambda row: _place(row, "session__offer__")),
    )

    @display(description="state", ordering="active", label={"on": "success", "off": "default"})
    def on(self, row: Recruitment) -> str:
        return "on" if row.active else "off"

    @admin.display(description="tasks")
    def offered(self, row: Recruitment) -> str:
        return ", ".join(task.replace("_", " ") for task in row.tasks)
