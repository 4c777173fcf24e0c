"""Template tags of pages for workers: money, durations, the link home, and the button for guests."""

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
    """Return a rough duration in words: "45 s", "5 min", "2 h"."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"


@register.simple_tag(takes_context=True)
def start_page(context: Any) -> str:
    """Return the address behind the name of the service: the gallery, or the worker's own page if it is not public."""
    staff = getattr(context.get("user"), "is_staff", False)
    return reverse("gallery:start" if staff or settings.GALLERY_PUBLIC else "labelling:home")


@register.inclusion_tag("labelling/try.html", takes_context=True)
def try_as_worker(context: Any, project: Project) -> dict[str, Any]:
    """Show a button that makes the visitor a worker, if the service allows guests."""
    return {"allowed": settings.TRY_AS_WORKER, "project": project}
