"""Admin pages of the ledger: payments and bonuses are added here; nothing is changed or deleted."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from unfold.decorators import action

from backoffice.base import AddOnlyAdmin
from backoffice.columns import row_link
from backoffice.form_fields import choice_field, number_in, project_field, reason_field
from backoffice.large_lists import LargeList
from backoffice.money.owed import owed_in_project, owed_in_projects
from members.may import Action, may, projects_for
from pipeline.models import LedgerEntry
from pipeline.money.errors import LedgerError
from pipeline.money.give_bonus import give_bonus
from pipeline.money.pay_worker import pay_worker

BY_HAND = [(LedgerEntry.Kind.PAID.value, "was paid"), (LedgerEntry.Kind.BONUS.value, "gets a bonus")]


class EntryForm(forms.ModelForm):
    """A payment that was made, or a bonus. Pay is refused and restored on the list of assignments."""

    actor: str

    project = project_field()
    kind = choice_field(BY_HAND, label="The worker")
    reason = reason_field()

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        write = pay_worker if values["kind"] == LedgerEntry.Kind.PAID else give_bonus
        # The entry is written here, in the page's transaction: only writing it shows whether it is allowed.
        try:
            self.instance = write(
                worker_id=values["worker"].pk,
                project_id=values["project"].pk,
                actor=self.actor,
                **{name: values[name] for name in ("cents", "reason", "reference")},
            )
        except LedgerError as error:
            raise ValidationError(str(error)) from error
        return values


@admin.register(LedgerEntry)
class LedgerEntryAdmin(LargeList, AddOnlyAdmin):
    form = EntryForm
    actions_list = ("owed",)
    list_display = (
        *("id", row_link("worker"), row_link("project"), "kind", "cents"),
        *("reason", "reference", "actor", "created_at"),
    )
    list_filter = ("project", "kind")
    show_full_result_count = False
    list_select_related = ("worker", "project")
    search_fields = ("worker__name", "reason", "=reference", "actor")
    autocomplete_fields = ("worker",)
    readonly_fields = ("assignment", "actor", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("worker", "project", "kind", "cents", "reference", "reason")
        return ("worker", "project", "kind", "cents", "reason", "assignment", "reference", "actor", "created_at")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.actor = request.user.get_username()
        return form

    def save_model(self, request: HttpRequest, obj: LedgerEntry, form: Any, change: bool) -> None:
        """Do nothing: the form has written the entry."""

    @action(description="What is owed", url_path="owed", permissions=["view"])
    def owed(self, request: HttpRequest) -> HttpResponseBase:
        """Show what is owed in every project, or, with ?project=ID, what each of its workers is owed and earns."""
        wanted = number_in(request.GET.get("project", ""))
        own = projects_for(request.user, Action.READ_RECORD)
        project = None if wanted is None else get_object_or_404(own, id=wanted)
        may_add = project is not None and may(request.user, Action.MANAGE, project)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"What is owed: {project}" if project else "What is owed",
            "project": project,
        }
        if project:
            context["tables"], context["page"] = owed_in_project(project, request.GET.get("page", ""), may_add=may_add)
        else:
            context["tables"] = [owed_in_projects(own)]
        return TemplateResponse(request, "backoffice/owed.html", context)
