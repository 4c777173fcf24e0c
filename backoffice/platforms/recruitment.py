"""Admin pages of recruitments: on which platform a project's work is offered, on what terms, and how it goes."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, IntegerField, Model, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from unfold.decorators import action, display

from backoffice.base import Part, ReadOnlyAdmin
from backoffice.columns import row_link
from backoffice.filters import platform_filter
from backoffice.form_fields import number_in
from backoffice.platforms.offer_work import OffersWork
from backoffice.platforms.recruitment_status import place_of, status_context
from backoffice.platforms.settle import Settles
from members.may import Action
from platforms.contract.errors import PlatformOffError
from platforms.jobs import sync_job
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.registry import find_platform
from upkeep.redis_faults import start

READ_LATER = (
    "The queue of jobs (Redis) cannot be reached. The platform is read in the next round, a few minutes after "
    "the queue is back."
)
AT_WORK = {"state": Session.State.OPEN, "platform_state": ""}
TO_SETTLE = {"state": Session.State.FINISHED, "platform_state__in": ["", Session.PlatformState.SUBMITTED]}


def figure(model: type[Model], through: str, what: Any, **chosen: Any) -> Coalesce:
    """Return one number of the rows that belong to a recruitment; `through` leads from a row to its offer."""
    place = {f"{through}platform": OuterRef("platform"), f"{through}project": OuterRef("project")}
    rows = model._default_manager.filter(**place, **chosen).order_by().values(f"{through}platform")
    return Coalesce(Subquery(rows.annotate(figure=what).values("figure"), output_field=IntegerField()), 0)


FIGURES = {
    "places_open": figure(Offer, "", Sum(F("places") - F("taken")), state=Offer.State.OPEN),
    "sessions_open": figure(Session, "offer__", Count("pk"), **AT_WORK),
    "sessions_waiting": figure(Session, "offer__", Count("pk"), **TO_SETTLE),
    "offers_with_errors": figure(
        Offer, "", Count("pk"), last_error__gt="", state__in=[Offer.State.PLANNED, Offer.State.OPEN, Offer.State.ENDING]
    ),
    "payments_refused": figure(Payment, "session__offer__", Count("pk"), state=Payment.State.REFUSED),
}


@admin.register(Recruitment)
class RecruitmentAdmin(OffersWork, Settles, ReadOnlyAdmin):
    list_display = (
        *("__str__", row_link("project"), "platform", "on"),
        *("open", "at_work", "to_settle", "failures", "looked_at"),
    )
    list_filter = ("project", platform_filter(), "active")
    list_select_related = ("project",)
    search_fields = ("platform", "project__name", "started_by")
    readonly_fields = ("on", "offered", "story")
    fields = ("project", "platform", "on", "offered", "story", "started_by", "created_at", "looked_at")
    parts = (
        Part(Offer, place_of),
        Part(Session, lambda row: place_of(row, "offer__")),
        Part(Payment, lambda row: place_of(row, "session__offer__")),
    )
    actions_list = ("offer_work",)
    actions_detail = ("terms", "pay", "compare", "stop")
    change_form_outer_before_template = "backoffice/recruitment_status.html"
    change_form_outer_after_template = "backoffice/recruitment_terms.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Recruitment]:
        return super().get_queryset(request).annotate(**FIGURES)

    def get_urls(self) -> list[URLPattern]:
        read = self.admin_site.admin_view(self.read)
        return [path("<int:pk>/read/", read, name="platforms_recruitment_read"), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        row = self.get_object(request, object_id)
        shown = status_context(row) if row else {}
        shown["may_read"] = self.has_recruit_permission(request, object_id)
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    # --- Columns ---

    @display(description="state", ordering="active", label={"on": "success", "off": "default"})
    def on(self, row: Recruitment) -> str:
        return "on" if row.active else "off"

    @admin.display(description="tasks")
    def offered(self, row: Recruitment) -> str:
        return ", ".join(task.replace("_", " ") for task in row.tasks)

    @admin.display(description="open places", ordering="places_open")
    def open(self, row: Any) -> str:
        return f"{row.places_open:,}"

    @admin.display(description="at work", ordering="sessions_open")
    def at_work(self, row: Any) -> str:
        return f"{row.sessions_open:,}"

    @admin.display(description="to settle", ordering="sessions_waiting")
    def to_settle(self, row: Any) -> str:
        return f"{row.sessions_waiting:,}"

    @display(description="errors", label={"none": "success", "some": "danger"})
    def failures(self, row: Any) -> tuple[str, str]:
        count = row.offers_with_errors + row.payments_refused
        return ("some", f"{count:,}") if count else ("none", "none")

    # --- What a requester does ---

    def has_recruit_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return self.may(request, Action.MANAGE, object_id)

    def has_settle_permission(self, request: HttpRequest, object_id: Any = None) -> bool:
        return self.may(request, Action.MANAGE, object_id)

    @action(description="Offer work", url_path="offer-work", permissions=["recruit"])
    def offer_work(self, request: HttpRequest) -> HttpResponseBase:
        return self.offer_page(request, "Offer work")

    @action(description="Change terms", url_path="terms", permissions=["recruit"])
    def terms(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        row = _found(object_id)
        return self.offer_page(request, "Change terms" if row.active else "Offer work again", row)

    @action(description="Pay what is due", url_path="pay", permissions=["settle"])
    def pay(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        return self.pay_page(request, _found(object_id))

    @action(description="Compare with the ledger", url_path="compare", permissions=["view"])
    def compare(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        return self.compare_page(request, _found(object_id))

    @action(description="Stop", url_path="stop", permissions=["recruit"])
    def stop(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        return self.stop_page(request, _found(object_id))

    def read(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Start a job that reads the platform."""
        if request.method != "POST" or not self.has_recruit_permission(request, pk):
            raise PermissionDenied
        row = get_object_or_404(Recruitment, pk=pk)
        try:
            find_platform(row.platform)
        except PlatformOffError as error:
            messages.error(request, str(error))
        else:
            if start(sync_job, row.platform, row.project_id):
                messages.success(request, "The platform is being read. Reload this page to see what was found.")
            else:
                messages.warning(request, READ_LATER)
        return redirect("admin:platforms_recruitment_change", pk)


def _found(object_id: str) -> Recruitment:
    return get_object_or_404(Recruitment, pk=number_in(object_id))
