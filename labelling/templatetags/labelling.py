"""How pages for workers write money and time, and the button for guests."""

from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse

from annotation.models import Project

register = template.Library()


@register.filter
def money(cents: int, currency: str) -> str:
    return f"{cents // 100:,}.{cents % 100:02d} {currency}"


@register.filter
def duration(seconds: int) -> str:
    """About how long, as one says it."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"


@register.simple_tag(takes_context=True)
def start_page(context: Any) -> str:
    """Where the name of the service leads: to the gallery, or, for who may not look at it, to their own work."""
    staff = getattr(context.get("user"), "is_staff", False)
    return reverse("gallery:start" if staff or settings.GALLERY_PUBLIC else "labelling:home")


@register.inclusion_tag("labelling/try.html", takes_context=True)
def try_as_worker(context: Any, project: Project) -> dict[str, Any]:
    """A button that makes the reader a worker, where the service allows guests; otherwise nothing."""
    return {"allowed": settings.TRY_AS_WORKER, "project": project}
