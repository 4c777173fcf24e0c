"""A person at a browser, whose steps are counted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from campaign.templatetags.campaign import MENU


@dataclass
class AtABrowser:
    """Opens pages by what can be pressed on them. A press is a click, a key, or a field that is filled in."""

    page: Page
    presses: int = 0
    pages: int = 0

    def __post_init__(self) -> None:
        self.page.on("framenavigated", self._count_page)

    def _count_page(self, _: Any) -> None:
        self.pages += 1

    def press(self, what: Locator) -> None:
        self.presses += 1
        what.click()

    def button(self, name: str, *, exact: bool = False) -> None:
        self.press(self.page.get_by_role("button", name=name, exact=exact).first)

    def link(self, name: str, *, exact: bool = False) -> None:
        self.press(self.page.get_by_role("link", name=name, exact=exact).first)

    def step(self, name: str) -> None:
        """Press an entry of the project's menu, after its group if another one is open."""
        menu = self.page.get_by_role("navigation", name="Pages of the project")
        entry = menu.get_by_role("link", name=name)
        menu.wait_for()
        if not entry.count():
            (group,) = (group for group, pages in MENU.items() if name in {page for _, page, _ in pages})
            self.press(menu.get_by_role("link", name=group))
        self.press(entry)

    def tick(self, name: str) -> None:
        self.press(self.page.get_by_label(name, exact=True))

    def fill(self, label: str, text: str) -> None:
        self.type(self.page.get_by_label(label, exact=True), text)

    def type(self, what: Locator, text: str) -> None:
        self.presses += 1
        what.fill(text)

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.presses += 1
            self.page.keyboard.press(key)

    def give(self, what: Locator, folder: Path) -> None:
        """Choose a folder in the browser's own window."""
        self.presses += 1
        what.set_input_files(folder)
