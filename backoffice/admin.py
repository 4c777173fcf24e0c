"""Imports every admin page when the server starts, and orders the first: what administrators come for, then a fold."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from backoffice import of_accounts, of_annotation, of_people, of_platforms, of_projects, of_questions  # noqa: F401  # each registers its models

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Accounts and rights": ("auth.User", "accounts.Right", "accounts.Membership", "accounts.RequesterToken"),
    "People who work": ("workers.Worker", "workers.Invitation", "workers.TrustStatus", "labelling.Conversation"),
    "Projects": ("annotation.Project", "projects.Run", "pipeline.SettingsVersion", "projects.Delivery"),
    "Money and platforms": ("pipeline.LedgerEntry", "platforms.Recruitment", "platforms.Offer", "platforms.Payment"),
}
REST = "Everything stored"


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups with the pages that the visitor may open, in the form that django-unfold takes."""
    pages = {
        f"{app['app_label']}.{model['object_name']}": {"title": model["name"], "link": model["admin_url"]}
        for app in admin.site.get_app_list(request)
        for model in app["models"]
        if model["admin_url"]
    }
    found: list[dict[str, Any]] = [
        {"title": title, "items": [pages.pop(name) for name in names if name in pages]}
        for title, names in GROUPS.items()
    ]
    rest = {"title": REST, "collapsible": True, "items": sorted(pages.values(), key=lambda page: str(page["title"]))}
    return [group for group in (*found, rest) if group["items"]]
