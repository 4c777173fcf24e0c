"""The form of a page, as a browser without JavaScript sends it."""

import re
from html import unescape
from typing import Any


def fields_of(html: str, form: int) -> dict[str, Any]:
    """Return what a browser would send of the form as it stands."""
    text = html.split("<form")[form + 1].split("</form>")[0]
    sent: dict[str, Any] = {}
    for tag, attributes, inner in re.findall(
        r"<(input|select|textarea)\b([^>]*)>(.*?)(?=<(?:input|select|textarea)|$)", text, re.S
    ):
        name = re.search(r'name="([^"]*)"', attributes)
        if name is None:
            continue
        value = re.search(r'value="([^"]*)"', attributes)
        if tag == "select":
            chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', inner)
            first = re.search(r'<option(?: value="([^"]*)")?>([^<]*)', inner)
            found = chosen or first
            assert found is not None
            text_of = found[1] if found[1] is not None else found[2]
        elif tag == "textarea":
            text_of = inner.split("</textarea>")[0].removeprefix("\n")
        elif 'type="radio"' in attributes or 'type="checkbox"' in attributes:
            if "checked" not in attributes:
                continue
            text_of = value[1] if value else "on"
        else:
            text_of = value[1] if value else ""
        sent.setdefault(name[1], []).append(unescape(text_of))
    return sent
