"""Browsers that wait as long for a page as a busy machine may need."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext

from tests.support import services

PATIENCE = 1000 * services.PATIENCE
"""Milliseconds, as Playwright counts."""


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return a context in which clicks, navigations and awaited events, too, have this time."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    return context
