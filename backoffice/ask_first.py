"""Admin pages that explain an action and ask before anything happens."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from backoffice.form_fields import reason_field
from pipeline.errors import PipelineError
from platforms.contract.errors import PlatformError


class ReasonForm(forms.Form):
    """The reason for the action."""

    reason = reason_field()


@dataclass(frozen=True)
class RowAction:
    """An action on each of the chosen rows."""

    about: str
    """The consequences, shown before the requester confirms."""
    do: Callable[[Any, dict[str, Any]], SafeString | str]
    """Do it to one row, with the form's values and the `actor`; return what was done, in words."""
    form: type[forms.Form] | None = ReasonForm
    is_danger: bool = False


class AsksFirst:
    """Mixed into admin pages."""

    admin_site: Any
    opts: Any
    get_actions: Callable[[HttpRequest], dict[str, Any]]
    log_change: Callable[[HttpRequest, Any, str], Any]

    most_rows = 50
    """Rows that an action takes at once; each is handled by itself."""
    confirm_headers: tuple[str, ...] = ()

    def page(self, request: HttpRequest, title: str, template: str = "ask", **context: Any) -> HttpResponseBase:
        """Return a page of `about` (paragraphs), `warnings`, `tables`, `form`, `hidden` (pairs that the form sends
        back), `button`, and `back` (an address).
        """
        common = {**self.admin_site.each_context(request), "opts": self.opts, "title": title}
        return TemplateResponse(request, f"backoffice/{template}.html", {**common, **context})

    def act_on_each(self, request: HttpRequest, rows: QuerySet[Any], row_action: RowAction) -> HttpResponseBase | None:
        """Ask first; once confirmed, act on each row. A row that refuses does not stop the others."""
        chosen = list(rows[: self.most_rows + 1])
        if len(chosen) > self.most_rows:
            messages.warning(request, f"Choose at most {self.most_rows} {self.opts.verbose_name_plural} at once.")
            return None
        is_sent = "sent" in request.POST
        form = row_action.form(request.POST if is_sent else None) if row_action.form else None
        if not is_sent or (form and not form.is_valid()):
            return self._ask(request, chosen, form, row_action)
        given = {**(form.cleaned_data if form else {}), "actor": request.user.get_username()}
        for row in chosen:
            try:
                done = row_action.do(row, given)
            except (PipelineError, PlatformError) as error:
                messages.error(request, f"{self.row_name(row)}: {error}")
                continue
            self.log_change(request, row, f"{request.POST['action']}: {self.log_text(row, given)}")
            messages.success(request, format_html("{}: {}", self.row_name(row), done))
        return None

    def _ask(
        self, request: HttpRequest, chosen: list[Any], form: forms.Form | None, row_action: RowAction
    ) -> HttpResponseBase:
        name = request.POST["action"]
        title = self.get_actions(request)[name][2]
        return self.page(
            request,
            title,
            about=[row_action.about],
            tables=[{"headers": self.confirm_headers, "rows": self.confirm_rows(chosen)}],
            form=form,
            # The same action goes on with the same rows.
            hidden=[("action", name), ("sent", "yes"), *((ACTION_CHECKBOX_NAME, row.pk) for row in chosen)],
            button=title,
            variant="danger" if row_action.is_danger else "",
            back=reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"),
        )

    # --- What a page fills in ---

    @abstractmethod
    def confirm_rows(self, chosen: list[Any]) -> list[list[Any]]:
        """Return the cells of the chosen rows, under `confirm_headers`."""

    def row_name(self, row: Any) -> str:
        """Return how messages call the row."""
        return str(row)

    def log_text(self, row: Any, given: dict[str, Any]) -> str:
        """Return what the row's history says about the action."""
        return str(given["reason"])
