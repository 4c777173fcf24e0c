"""The documentation of the running version as pages: docs/ rendered from Markdown, and searched."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import urlsplit

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from runtime.installed import ROOT

DOCS = ROOT / "docs"
HOME = "index"
FILE_TYPES = {".png": "image/png", ".csv": "text/csv", ".yml": "text/yaml", ".json": "application/json"}
MOST_HITS = 40
EXCERPT = 180
"""Characters of a hit's text."""
# Raw HTML in Markdown stays text.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass
class DocsSection:
    """A heading of a page with the text below it."""

    title: str
    anchor: str
    level: int
    text: str = ""


@dataclass
class DocsPage:
    """A page of docs/: `name` is its path without .md, as in how-to/review."""

    name: str
    html: SafeString
    sections: list[DocsSection] = field(default_factory=list)

    @property
    def title(self) -> str:
        return self.sections[0].title if self.sections else self.name

    @property
    def contents(self) -> list[DocsSection]:
        return [section for section in self.sections if section.level == 2]


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of all pages, in the order in which docs/index.md lists them."""
    links = re.findall(r"\]\((?!\.\./)([^)#]+)\.md", _source(HOME))
    return (HOME, *dict.fromkeys(links))


@cache
def docs_page(name: str) -> DocsPage:
    """Read and render a page. Raises KeyError where docs/ has none of this name."""
    if name not in page_names():
        raise KeyError(name)
    tokens = MARKDOWN.parse(_source(name))
    page = DocsPage(name, SafeString())
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _plain_text(tokens[number + 1])
            anchor = _free_anchor(title, page.sections)
            token.attrSet("id", anchor)
            page.sections.append(DocsSection(title, anchor, int(token.tag[1])))
        elif token.type == "inline":
            _direct_links(token, PurePosixPath(name).parent)
            if page.sections and (text := _plain_text(token)) != page.sections[-1].title:
                page.sections[-1].text += f" {text}"
    page.html = mark_safe(MARKDOWN.renderer.render(list(_scrolling_tables(tokens)), MARKDOWN.options, {}))
    return page


def search(query: str) -> list[tuple[DocsPage, DocsSection, str]]:
    """Return the sections that hold all words of the query, those with words in their title first, with excerpts."""
    words = query.casefold().split()
    hits = []
    for name in page_names() if words else ():
        page = docs_page(name)
        for section in page.sections:
            title, whole = section.title.casefold(), f"{page.title} {section.title} {section.text}".casefold()
            if all(word in whole for word in words):
                hits.append((sum(word in title for word in words), page, section))
    hits.sort(key=lambda hit: -hit[0])  # stable: the order of the index stays
    return [(page, section, _excerpt(section.text, words)) for _, page, section in hits[:MOST_HITS]]


@require_safe
def help_page(request: HttpRequest, name: str = HOME) -> HttpResponse:
    """A page of the documentation; with ?q=, what is found in all of them."""
    query = request.GET.get("q", "").strip()[:100]
    if query:
        return render(request, "config/help/search.html", {"query": query, "hits": search(query)})
    try:
        page = docs_page(name)
    except KeyError as error:
        raise Http404("The documentation has no such page.") from error
    return render(request, "config/help/page.html", {"page": page, "is_home": name == HOME})


@require_safe
@cache_control(max_age=3600)
def help_file(request: HttpRequest, path: str) -> FileResponse:
    """A picture or table that a page of the documentation shows or links."""
    file = (DOCS / path).resolve()
    if file.suffix not in FILE_TYPES or not file.is_relative_to(DOCS.resolve()) or not file.is_file():
        raise Http404("The documentation has no such file.")
    return FileResponse(file.open("rb"), content_type=FILE_TYPES[file.suffix])


def _source(name: str) -> str:
    """Return the Markdown of a page without its comments, which mark generated parts."""
    return re.sub(r"<!--.*?-->\n?", "", (DOCS / f"{name}.md").read_text(encoding="utf-8"), flags=re.DOTALL)


def _title(name: str) -> str:
    return _source(name).partition("\n")[0].removeprefix("# ")


def _plain_text(inline: Token) -> str:
    return "".join(" " if child.type.endswith("break") else child.content for child in inline.children or ())


def _free_anchor(title: str, taken: list[DocsSection]) -> str:
    """Return the anchor that links in Markdown use for a heading: lower case, hyphens, a number for the next ones."""
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    same = sum(re.sub(r"-\d+$", "", section.anchor) == anchor for section in taken)
    return f"{anchor}-{same}" if same else anchor


def _direct_links(inline: Token, folder: PurePosixPath) -> None:
    """Let links between the files of docs/ lead to their pages. A link out of docs/ becomes text.

    A link that is named as its file shows the title of the page.
    """
    closing: list[str] = []
    children = inline.children or []
    for number, token in enumerate(children):
        if token.type == "image":
            token.attrs["src"] = _address(str(token.attrs["src"]), folder) or ""
            token.attrs["loading"] = "lazy"
        elif token.type == "link_open":
            address = _address(str(token.attrs["href"]), folder)
            if address is None:
                token.tag, token.attrs = "span", {}
            else:
                name = normpath(folder / str(token.attrs["href"])).partition(".md")[0]
                words = children[number + 1]
                if name in page_names() and words.content.removesuffix(".md") == PurePosixPath(name).name:
                    words.content = _title(name)
                token.attrs["href"] = address
            closing.append(token.tag)
        elif token.type == "link_close":
            token.tag = closing.pop()


def _address(link: str, folder: PurePosixPath) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or not parts.path:
        return link
    path = normpath(folder / parts.path)
    target = DOCS / path
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    if path.startswith("..") or not target.is_file():
        return None
    if target.suffix == ".md":
        return reverse("help:page", args=[path.removesuffix(".md")]) + anchor
    return reverse("help:file", args=[path]) if target.suffix in FILE_TYPES else None


def _scrolling_tables(tokens: list[Token]) -> Iterator[Token]:
    """Put each table into a box that scrolls on narrow screens, by keyboard too."""
    for token in tokens:
        if token.type == "table_open":
            yield Token("table_box_open", "div", 1, attrs={"class": "scroll", "tabindex": "0"}, block=True)
        yield token
        if token.type == "table_close":
            yield Token("table_box_close", "div", -1, block=True)


def _excerpt(text: str, words: list[str]) -> str:
    text = " ".join(text.split())
    first = min((at for word in words if (at := text.casefold().find(word)) >= 0), default=0)
    begin = 0 if first < EXCERPT // 2 else text.rfind(" ", 0, first - EXCERPT // 3) + 1
    cut = text[begin : begin + EXCERPT]
    return f"{'… ' * (begin > 0)}{cut}{' …' * (begin + EXCERPT < len(text))}"
