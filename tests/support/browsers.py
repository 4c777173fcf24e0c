"""Browsers that wait as long for a page as a busy machine may need."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext

PATIENCE = 120_000
"""Milliseconds. Server, browser, jobs and other tests share the machine: a second alone may be 25 beside them."""


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """Return a context in which clicks, navigations and awaited events, too, have this time."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    context.set_default_navigation_timeout(PATIENCE)
    return context
