"""A browser of somebody's own, and what happens in all of its tabs and frames."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Response

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
