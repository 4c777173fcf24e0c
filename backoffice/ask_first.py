"""Pages that say what is about to happen, and ask before it does."""

from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse


class AsksFirst:
    """Mixed into admin pages."""

    admin_site: Any
    opts: Any

    def page(self, request: HttpRequest, title: str, template: str = "ask", **context: Any) -> HttpResponseBase:
        """`about`: paragraphs; `tables`; `warnings`; `form`; `hidden`: pairs that come back; `button`; `back`."""
        common = {**self.admin_site.each_context(request), "opts": self.opts, "title": title}
        return TemplateResponse(request, f"platforms/admin/{template}.html", {**common, **context})


def chosen_again(request: HttpRequest, chosen: list[Any]) -> list[tuple[str, Any]]:
    """What an action's page sends back, so that the same action goes on with the same rows."""
    return [
        ("action", request.POST["action"]),
        ("sent", "yes"),
        *((ACTION_CHECKBOX_NAME, row.pk) for row in chosen),
    ]
