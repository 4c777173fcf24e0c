"""Links from one admin page to another."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString


def anchor(url: str, text: str) -> SafeString:
    """Return a link in the theme's link colour; the theme shows a bare `<a>` as plain text."""
    return format_html('<a class="text-primary-600 dark:text-primary-500" href="{}">{}</a>', url, text)


def page_of(model: type[Model], pk: Any, text: str) -> SafeString:
    """Return a link to the admin page of one row."""
    return anchor(reverse(f"admin:{_path_name(model)}_change", args=[pk]), text)


def list_of(model: type[Model], text: str, filters: dict[str, Any]) -> SafeString:
    """Return a link to the model's admin list, narrowed by `filters`."""
    return anchor(f"{reverse(f'admin:{_path_name(model)}_changelist')}?{urlencode(filters)}", text)


def _path_name(model: type[Model]) -> str:
    return model._meta.label_lower.replace(".", "_")


def gallery_url(name: str, *args: Any) -> str:
    """Return an address of the gallery, or "" where the service runs without the gallery."""
    try:
        return reverse(f"gallery:{name}", args=args)
    except NoReverseMatch:
        return ""
