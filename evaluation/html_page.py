"""The page of a report for a browser, report.html: what report.md says, for wide and narrow screens, light and dark."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby

_IMAGE = re.compile(r"!\[(?P<title>.*)\]\((?P<file>[^()]+)\)")
_CELL = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"[-−]?[0-9][0-9,.]*")
STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf8; --ink: #1d2026; --quiet: #5b6270; --line: #dcdad4; --card: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15171b; --ink: #e8e9ec; --quiet: #a3a9b5; --line: #363a43; --card: #1d2026; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1.1rem; line-height: 1.35; margin: 2.25rem 0 .6rem; }
p, ul { max-width: 46rem; margin: .5rem 0; }
ul { padding-left: 1.2rem; color: var(--quiet); font-size: .9rem; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card);
  width: fit-content; max-width: 100%; }
table { border-collapse: collapse; font-size: .9rem; overflow-wrap: normal; }
th, td { padding: .4rem .8rem; text-align: left; white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; }
tr + tr td, tbody tr td { border-top: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll.picture { background: #fff; }
img { display: block; }
img.chart { max-width: min(100%, 46rem); height: auto; background: #fff; border-radius: .5rem;
  border: 1px solid var(--line); }
.picture { margin-bottom: 1.5rem; }
.picture img { max-width: none; }
@media (max-width: 30rem) { th, td { padding: .35rem .45rem; } table { font-size: .85rem; } }
:focus-visible { outline: 3px solid #2f7fd6; outline-offset: 2px; }
"""


def html_of(page: str) -> str:
    """Return the page of Markdown as HTML. `page`: headings, paragraphs, lists, tables and pictures, a line each."""
    lines = page.splitlines()
    title = escape(lines[0].removeprefix("# "))
    body = "\n".join(_parts(lines))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _parts(lines: Sequence[str]) -> Iterator[str]:
    heading = ""
    for kind, own in groupby((line for line in lines if line), key=_kind):
        for part in _part(kind, list(own), heading):
            yield part
            if kind == "## ":
                heading = part.removeprefix("<h2>").removesuffix("</h2>")


def _kind(line: str) -> str:
    """Return the beginning of the line that tells what it is; empty for a paragraph."""
    return next((kind for kind in ("# ", "## ", "- ", "|", "![") if line.startswith(kind)), "")


def _part(kind: str, lines: list[str], heading: str) -> Iterator[str]:
    if kind == "|":
        yield _table(lines, heading)
    elif kind == "- ":
        yield "<ul>" + "".join(f"<li>{escape(line[2:])}</li>" for line in lines) + "</ul>"
    elif kind == "![":
        yield from map(_picture, lines)
    elif kind in ("# ", "## "):
        level = len(kind) - 1
        yield from (f"<h{level}>{escape(line[len(kind) :])}</h{level}>" for line in lines)
    else:
        yield from (f"<p>{escape(line)}</p>" for line in lines)


def _picture(line: str) -> str:
    found = _IMAGE.fullmatch(line)
    if found is None:
        return f"<p>{escape(line)}</p>"
    title, file = escape(found["title"]), escape(found["file"])
    if file.endswith(".svg"):
        return f'<img class="chart" src="{file}" alt="{title}">'
    shown = f'<img src="{file}" alt="{title}" loading="lazy">'
    return f'<div class="scroll picture" tabindex="0" role="region" aria-label="{title}">{shown}</div>'


def _table(lines: list[str], heading: str) -> str:
    rows = [[cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())[1:-1]] for line in lines]
    head, body = rows[0], [row for row in rows[1:] if set("".join(row)) != {"-"}]
    columns = [[row[place] for row in body] for place in range(len(head))]
    numbers = [any(column) and all(not cell or _NUMBER.fullmatch(cell) for cell in column) for column in columns]

    def told(row: Sequence[str], tag: str) -> str:
        classes = (' class="number"' if number else "" for number in numbers)
        return "".join(f"<{tag}{class_}>{escape(cell)}</{tag}>" for cell, class_ in zip(row, classes, strict=True))

    inner = "".join(f"<tr>{told(row, 'td')}</tr>" for row in body)
    table = f"<table><thead><tr>{told(head, 'th')}</tr></thead><tbody>{inner}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{heading}">{table}</div>'
