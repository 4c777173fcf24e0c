"""Template tags of pages for workers: times, the link home, and the button for guests."""

from datetime import UTC, datetime
from typing import Any

from django import template
from django.conf import settings
from django.template.defaultfilters import linebreaksbr
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from accounts.may import is_of_staff, may_enter_admin
from annotation.models import Project
from annotation.project_terms import terms_of
from labelling.models import Conversation
from workers.rules.texts import WRITTEN, time_in_words, time_written
from workers.task_words import task_name

SHOWS_LANGUAGES = ("labelling.", "allauth.")
"""The beginnings of modules with pages that workers read."""
register = template.Library()
register.simple_tag(terms_of)


@register.filter
def duration(seconds: int) -> str:
    """Return a rough duration in words: "1 min" for anything short, "5 min", "2 h"."""
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 90 else f"{round(minutes / 60)} h"


@register.simple_tag
def moment(at: datetime) -> SafeString:
    """Return a time that the page's script shows in the reader's own zone; without the script it is in UTC."""
    return format_html('<time datetime="{}">{}</time>', at.astimezone(UTC).isoformat(), time_in_words(at))


@register.filter
def prose(text: str) -> SafeString:
    """Return a text with its line breaks, the times in it as `moment` writes them."""
    return linebreaksbr(mark_safe(WRITTEN.sub(lambda found: moment(time_written(found[0])), escape(text))))


@register.filter
def task_label(task: str) -> str:
    return task_name(task)


@register.filter
def has_news(conversation: Conversation) -> bool:
    """Return whether the conversation holds an answer that the worker has not read."""
    return any(post.actor and not post.read_at for post in conversation.posts.all())


@register.simple_tag(takes_context=True)
def start_page(context: Any) -> str:
    """Return the address behind the name of the service: the gallery, or the worker's own page if it is not public."""
    public = settings.GALLERY_PUBLIC or of_staff(context)
    return reverse("gallery:start" if public else "labelling:home")


@register.simple_tag(takes_context=True)
def of_staff(context: Any) -> bool:
    """Return whether the visitor is a member of a project, has a right, or is an administrator."""
    user = context.get("user")
    return user is not None and is_of_staff(user)


@register.simple_tag(takes_context=True)
def enters_admin(context: Any) -> bool:
    """Return whether the visitor may enter the admin pages."""
    user = context.get("user")
    return user is not None and may_enter_admin(user)


@register.inclusion_tag("labelling/languages.html", takes_context=True)
def languages(context: Any) -> dict[str, Any]:
    """Show the choice of languages on the pages for workers that can be opened again by their address."""
    request = context.get("request")
    at = request and request.resolver_match
    return {
        "shown": bool(at and not context.get("bearer") and at.func.__module__.startswith(SHOWS_LANGUAGES)),
        "next": request.get_full_path() if request else "",
        "language": get_language(),
        "languages": settings.LANGUAGES,
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("labelling/try.html", takes_context=True, name="try_as_worker")
def show_try_as_worker(context: Any, project: Project, look: str = "main") -> dict[str, Any]:
    """Show a button that makes the visitor a worker, if the service allows guests. `look`: the button's class."""
    return {"allowed": settings.TRY_AS_WORKER, "project": project, "look": look}
