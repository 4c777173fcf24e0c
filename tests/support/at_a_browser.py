"""A person at a browser, whose steps are counted.
A browser of somebody's own, and what happens in all of its tabs and frames.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, Response

from projects.templatetags.projects import MENU


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


POLICY = "addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))"


@dataclass
class Watched:
    """`ours`: the server whose cookies are looked for. `complaints` are errors, and what a content policy forbade."""

    context: BrowserContext
    ours: str
    complaints: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self.context.add_init_script(POLICY)
        self.context.on("console", self._hear)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.context.on("response", self._note)

    def cookies_of_ours(self) -> list[str]:
        """Those that were set, sent or kept."""
        heads = [head for one in self.answers for head in (one.request.all_headers(), one.all_headers())]
        moved = [head[name] for head in heads for name in ("cookie", "set-cookie") if name in head]
        return moved + [str(kept.get("name")) for kept in self.context.cookies(self.ours)]

    def _hear(self, message: ConsoleMessage) -> None:
        # The twins have no picture for the tab.
        if message.type == "error" and urlsplit(message.location["url"]).path != "/favicon.ico":
            self.complaints.append(message.text)

    def _note(self, answer: Response) -> None:
        if answer.url.startswith(self.ours):
            self.answers.append(answer)
