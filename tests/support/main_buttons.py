"""The main buttons that a page shows when it is opened."""

from html.parser import HTMLParser

BUTTONS = frozenset({"a", "button", "summary", "label"})
VOID = frozenset({"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[tuple[str, bool]] = []  # tag, and whether it is shown
        self._reads = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given, above = dict(attrs), all(shown for _, shown in self._open)
        folded = any(name == "details" for name, _ in self._open[-1:]) and tag != "summary"
        shown = "hidden" not in given and (tag != "dialog" or "open" in given)
        if folded and not self._is_unfolded:
            shown = False
        if tag == "details":
            self._is_unfolded = "open" in given
        if tag in BUTTONS and "main" in (given.get("class") or "").split() and above and shown:
            self.found.append("")
            self._reads = True
        if tag not in VOID:
            self._open.append((tag, shown))

    _is_unfolded = False

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        self._reads = self._reads and tag not in BUTTONS

    def handle_data(self, data: str) -> None:
        if self._reads:
            self.found[-1] = f"{self.found[-1]} {data.strip()}".strip()


def main_buttons(text: str) -> list[str]:
    """Return the words of the main buttons in HTML, without those that are hidden, folded up or in a closed dialog."""
    page = _Page()
    page.feed(text)
    return page.found
