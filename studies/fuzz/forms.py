"""The forms of a page, filled as they stand, once for each of their buttons."""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class Form:
    """The address to which a form is sent, its fields, and its buttons that have a name."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def bodies(self) -> list[dict[str, str]]:
        """Return what each of the buttons sends."""
        return [{**self.fields, name: value} for name, value in self.buttons] or [self.fields]


class _Reader(HTMLParser):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path, self.forms = path, list[Form]()
        self._form: Form | None = None
        self._open = ""
        """The list or text that is being read."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(has.get("action") or self.path) if has.get("method", "").lower() == "post" else None
            if self._form:
                self.forms.append(self._form)
        if self._form is None:
            return
        name, value, kind = has.get("name", ""), has.get("value", ""), has.get("type", "")
        if tag == "option" and self._open and ((value and not self._form.fields[self._open]) or "selected" in has):
            self._form.fields[self._open] = value
        elif tag == "button" and name:
            self._form.buttons.append((name, value))
        elif tag in ("select", "textarea") and name:
            self._form.fields[name], self._open = "", name
        elif tag == "input" and name and (kind not in ("radio", "checkbox") or "checked" in has):
            self._form.fields[name] = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag in ("select", "textarea"):
            self._open = ""


def forms_of(path: str, page: str) -> list[Form]:
    """Return the forms of the page at this path that are sent by POST."""
    reader = _Reader(path)
    reader.feed(page)
    return reader.forms
