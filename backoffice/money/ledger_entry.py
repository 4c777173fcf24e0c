"""Admin pages of money: the ledger, what is owed, and what work pays by the hour."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from annotation.models import Project
from backoffice.data.annotation_admin import ReadOnlyAdmin, StoryAdmin, anchor, page_of, row_link
from backoffice.filters import ProjectIdFilter
from backoffice.project_column import OfProject, ProjectForm
from pipeline.models import Assignment, LedgerEntry, SettingsVersion, Spending
from pipeline.money.amounts import in_words
from pipeline.money.errors import LedgerError
from pipeline.money.give_bonus import give_bonus
from pipeline.money.ledger import accounts, total
from pipeline.money.pay_worker import pay_worker
from pipeline.settings_versions import current_settings
from reports.owed import WorkerMoney, money_of
from reports.owed_text import HOURLY, MONEY, amount, parts, pay_cells
from workers.models import Worker

Kind = LedgerEntry.Kind
BY_HAND = [(Kind.PAID.value, "was paid"), (Kind.BONUS.value, "gets a bonus")]


class EntryForm(ProjectForm):
    """A payment that was made, or a bonus. Pay is refused, and a refusal taken back, on the list of assignments."""

    actor: str

    kind = forms.ChoiceField(label="The worker", choices=BY_HAND, widget=UnfoldAdminSelectWidget(choices=BY_HAND))
    reason = forms.CharField(max_length=1000, widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}))

    def clean(self) -> dict[str, Any] | None:
        values = super().clean() or self.cleaned_data
        if self.errors:
            return values
        said = {name: values[name] for name in ("project_id", "cents", "reason", "reference")}
        verb = pay_worker if values["kind"] == Kind.PAID else give_bonus
        # Written here, in the page's transaction, since only writing tells whether it can be: nothing is left to save.
        try:
            self.instance = verb(worker_id=values["worker"].pk, actor=self.actor, **said)
        except LedgerError as error:
            raise ValidationError(str(error)) from error
        return values


class LedgerEntryAdmin(OfProject, StoryAdmin):
    """Adding one writes it down; nothing is edited and nothing deleted."""

    form = EntryForm
    actions_list = ("owed",)
    list_display = ("id", row_link("worker"), "project", "kind", "cents", "reason", "reference", "actor", "created_at")
    list_filter = (ProjectIdFilter, "kind")
    list_select_related = ("worker",)
    search_fields = ("worker__name", "reason", "=reference", "actor")
    autocomplete_fields = ("worker",)
    readonly_fields = ("project", "assignment", "actor", "created_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        if obj is None:
            return ("worker", "project_id", "kind", "cents", "reference", "reason")
        return ("worker", "project", "kind", "cents", "reason", "assignment", "reference", "actor", "created_at")

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = super().get_form(request, obj, change, **kwargs)
        form.actor = request.user.get_username()
        return form

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: LedgerEntry, form: Any, change: bool) -> None:
        """The form has written it."""

    @admin.display(description="assignment")
    def assignment(self, row: LedgerEntry) -> SafeString | str:
        return page_of(Assignment, row.assignment_id, f"assignment {row.assignment_id}") if row.assignment_id else "-"

    @action(description="What is owed", url_path="owed", permissions=["view"])
    def owed(self, request: HttpRequest) -> HttpResponseBase:
        """Of ?project=ID what each worker is owed and earns by the hour; without it what is owed in every project."""
        wanted = request.GET.get("project", "")
        project = get_object_or_404(Project, id=wanted) if wanted.isdecimal() else None
        may_add = self.has_add_permission(request)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"What is owed: {project}" if project else "What is owed",
            "tables": _of_project(project, may_add) if project else [_of_all()],
        }
        return TemplateResponse(request, "labelling/admin_money.html", context)


class SpendingAdmin(OfProject, ReadOnlyAdmin):
    """What is committed under a spend cap: earned, on loan, and bonuses."""

    list_display = ("project_id", "project", "committed_cents", "cap")
    fields = ("project", "committed_cents", "cap")
    readonly_fields = ("project", "cap")
    search_fields = ("=project_id",)
    ordering = ("project_id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Spending]:
        newest = SettingsVersion.objects.filter(project=OuterRef("project_id")).order_by("-version")
        caps = newest.values_list(Cast(KT("values__spend_cap_cents"), BigIntegerField()))
        return super().get_queryset(request).annotate(spend_cap_cents=Subquery(caps[:1]))

    @admin.display(description="spend cap, cents")
    def cap(self, row: Any) -> int:
        return row.spend_cap_cents or 0


# --- What is owed ---


def _of_all() -> dict[str, Any]:
    rows = []
    for project in Project.objects.order_by("name"):
        account, currency = total(accounts(project.pk).values()), current_settings(project.pk)[1].currency
        url = f"{reverse('admin:workers_ledgerentry_owed')}?project={project.pk}"
        rows.append([anchor(url, project.name), *(in_words(cents, currency) for cents in parts(account))])
    return {"headers": ("project", *MONEY[1:]), "rows": rows}


def _of_project(project: Project, may_add: bool) -> list[dict[str, Any]]:
    currency = current_settings(project.pk)[1].currency
    found = money_of(project.pk)
    money = [_line(project, row, may_add) for row in found]
    sums = ["all", *map(amount, parts(total(row.account for row in found))), ""]
    hourly = [
        [f"{row.worker}, {task.label}", f"{pay.assignments:,}", *pay_cells(pay)]
        for row in found
        for task, pay in row.pay.items()
    ]
    return [
        {"title": f"Money, in {currency}", "headers": (*MONEY, "record"), "rows": [*money, sums]},
        {"title": f"Pay by the hour, in {currency}", "headers": HOURLY, "rows": hourly},
    ]


def _line(project: Project, row: WorkerMoney, may_add: bool) -> list[Any]:
    """With a link to the form that writes down that all of it was paid."""
    said = {"worker": row.worker.pk, "project_id": project.pk, "kind": Kind.PAID.value, "cents": row.account.owed}
    url = f"{reverse('admin:workers_ledgerentry_add')}?{urlencode(said)}"
    link = anchor(url, "a payment") if may_add and row.account.owed > 0 else ""
    return [page_of(Worker, row.worker.pk, row.worker.name), *map(amount, parts(row.account)), link]


admin.site.register(LedgerEntry, LedgerEntryAdmin)
admin.site.register(Spending, SpendingAdmin)
