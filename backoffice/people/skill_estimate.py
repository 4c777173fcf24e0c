"""Admin pages of skill estimates: how often each worker is right on a task."""

from django.contrib import admin

from backoffice.base import ReadOnlyAdmin
from backoffice.columns import row_link, task_name
from backoffice.filters import TaskFilter
from workers.models import SkillEstimate


@admin.register(SkillEstimate)
class SkillEstimateAdmin(ReadOnlyAdmin):
    list_display = (
        *(row_link("worker"), row_link("project"), task_name),
        *("share", "interval", "checked", "known", "computed_at"),
    )
    list_display_links = (task_name,)
    list_filter = ("project", TaskFilter)
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)

    @admin.display(description="checked answers", ordering="answers")
    def checked(self, row: SkillEstimate) -> str:
        return f"{row.answers:,}"

    @admin.display(description="to verification questions", ordering="known_answers")
    def known(self, row: SkillEstimate) -> str:
        return f"{row.known_answers:,}"

    @admin.display(description="right", ordering="accuracy")
    def share(self, row: SkillEstimate) -> str:
        return f"{row.accuracy:.0%}"

    @admin.display(description="95 % interval", ordering="low")
    def interval(self, row: SkillEstimate) -> str:
        return f"{row.low:.0%} to {row.high:.0%}"
