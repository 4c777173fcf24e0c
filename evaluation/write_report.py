"""Writes a report: its page, as report.md and report.html, its tables and all else into a folder beside the target.

The folder is renamed when it is complete.
"""

import csv
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.papers import PAPERS, bibtex, cited_by
from evaluation.report import Cell, Report, ReportTable, draw_chart

FIGURE_LABELS = {
    "upper_bound": "people against each other",
    "boxes_per_description": "boxes of a description",
    "sd": "standard deviation",
    "se": "standard error",
    "low": "low end, 95 %",
    "high": "high end, 95 %",
    "human_majority": "people, majority",
    "human_unanimity": "people, unanimity",
    "t1": "task 1",
    "t2": "task 2",
    "t3": "task 3",
    "overall": "overall",
    "correct": "right captions",
    "foil": "foils",
    "all": "all foils",
    "nouns": "among nouns",
    "words": "among all words",
    "called_wrong": "foils called wrong",
    "queries": "phrases with a box",
    "bodyparts": "body parts",
    "extent": "one box around all",
    "largest": "the largest box",
    "by_size": "all boxes by size",
    "no_singletons": "chains of several mentions",
    "common": "mentions of both sides",
    "in_both": "number of mentions of both sides",
    "bound": "any region right",
    "errors": "first boxes",
    "against": "the other model",
    "B3": "B³",
    "only_gold": "mentions of gold alone",
    "only_response": "mentions of the response alone",
    "majority_percent": "right by majority, %",
    "unanimous_percent": "right unanimously, %",
}


def figure_name(key: str) -> str:
    """Return a figure's name in words: "people against each other, P, standard deviation" for upper_bound.P.sd."""
    parts = key.split(".")
    found = [FIGURE_LABELS.get(part, part.replace("_", " ")) for part in parts]
    # A share such as 0.7 has a point of its own.
    return ", ".join(found) if not any(part.isdigit() for part in parts) else key.replace("_", " ")


MAX_TABLE_ROWS = 1_000
"""Rows of a table on the page; the rest is in its CSV file."""


def page_of(report: Report, result: Mapping[str, Any]) -> str:
    """Return the page as Markdown."""
    return "\n".join(_lines(report, result)) + "\n"


def _lines(report: Report, result: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {report.title}"
    yield ""
    yield f"{report.n:,} {report.unit}, seed {result['seed']}. Every figure, unrounded: report.json."
    for note in report.notes:
        yield ""
        yield note
    if report.compared:
        yield from ("", "## Beside the paper", "")
        yield from _rows(("figure", "ours", "paper", "remark"))
        for compared in report.compared:
            ours = report.figures.get(compared.figure)
            yield _page_row(
                (
                    figure_name(compared.figure),
                    "" if ours is None else cell_text(ours),
                    f"{compared.paper:g}",
                    compared.remark or "comparable",
                )
            )
    if report.missing:
        yield from ("", "## Not reproduced", "")
        yield from (f"- {row}: not reproduced: needs {needs}" for row, needs in report.missing.items())
    for table in report.tables:
        if table.on_page:
            yield from ("", f"## {table.title}", "")
            yield from _rows(table.columns)
            yield from (_page_row([cell_text(cell) for cell in row]) for row in table.rows[:MAX_TABLE_ROWS])
            if len(table.rows) > MAX_TABLE_ROWS:
                yield from ("", f"{len(table.rows) - MAX_TABLE_ROWS:,} more rows: {table.name}.csv")
    for chart in report.charts:
        yield from ("", f"## {chart.title}", "", f"![{chart.title}]({chart.name}.svg)")
    if report.drawings:
        yield from ("", "## Pictures")
    for drawing in report.drawings:
        yield from ("", drawing.title, "", f"![{drawing.title}]({drawing.name}.jpg)")
    if cited := cited_by(result["settings"].get("step", "")):
        yield from ("", "## Cite", "", "The papers whose protocol this is; cite.bib has them for LaTeX.", "")
        yield from (f"- {PAPERS[key].line}" for key in cited)
    yield from ("", "## Settings and inputs", "")
    yield from (f"- {name}: {value}" for name, value in sorted(result["settings"].items()))
    yield from (f"- SHA-256 of {name}: {digest}" for name, digest in sorted(result["inputs"].items()))
    yield "- " + ", ".join(f"{name} {number}" for name, number in sorted(result["versions"].items()))


def _rows(columns: Sequence[str]) -> Iterator[str]:
    yield _page_row(columns)
    yield "|" + " --- |" * len(columns)


def _page_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def cell_text(value: Cell) -> str:
    """Return a value as the page shows it: whole numbers as they are, others with two or three decimals."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if abs(value) <= 1 else f"{value:,.2f}"


_IMAGE = re.compile(r"!\[(?P<title>.*)\]\((?P<file>[^()]+)\)")
_CELL = re.compile(r"(?<!\\)\|")
_NUMBER = re.compile(r"[-−]?[0-9][0-9,.]*")
STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")


def html_of(page: str) -> str:
    """Return the page of Markdown as HTML. `page`: headings, paragraphs, lists, tables and pictures, a line each."""
    lines = page.splitlines()
    title = escape(lines[0].removeprefix("# "))
    body = "\n".join(_html_parts(lines))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _html_parts(lines: Sequence[str]) -> Iterator[str]:
    heading = ""
    for kind, group in groupby((line for line in lines if line), key=_kind):
        for part in _html_part(kind, list(group), heading):
            yield part
            if kind == "## ":
                heading = part.removeprefix("<h2>").removesuffix("</h2>")


def _kind(line: str) -> str:
    """Return the beginning of the line that tells what it is; empty for a paragraph."""
    return next((kind for kind in ("# ", "## ", "- ", "|", "![") if line.startswith(kind)), "")


def _html_part(kind: str, lines: list[str], heading: str) -> Iterator[str]:
    if kind == "|":
        yield _html_table(lines, heading)
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


def _html_table(lines: list[str], heading: str) -> str:
    rows = [[cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())[1:-1]] for line in lines]
    head, body = rows[0], [row for row in rows[1:] if set("".join(row)) != {"-"}]
    columns = [[row[place] for row in body] for place in range(len(head))]
    numbers = [any(column) and all(not cell or _NUMBER.fullmatch(cell) for cell in column) for column in columns]

    def row_html(row: Sequence[str], tag: str) -> str:
        classes = (' class="number"' if number else "" for number in numbers)
        return "".join(f"<{tag}{class_}>{escape(cell)}</{tag}>" for cell, class_ in zip(row, classes, strict=True))

    inner = "".join(f"<tr>{row_html(row, 'td')}</tr>" for row in body)
    table = f"<table><thead><tr>{row_html(head, 'th')}</tr></thead><tbody>{inner}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{heading}">{table}</div>'


SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "±": r"$\pm$", "→": r"$\to$", "³": r"\textsuperscript{3}", "×": r"$\times$", "≤": r"$\le$", "≥": r"$\ge$",
    "–": "--", "“": "``", "”": "''", "’": "'", "…": r"\dots{}",
}  # fmt: skip


def table_text(table: ReportTable, report: Report, seed: int) -> str:
    """Return the table as a float that needs only the package booktabs."""
    rows = [[escaped(cell_text(cell)) for cell in row] for row in table.rows]
    columns = "".join("r" if _is_numbers(table, place) else "l" for place in range(len(table.columns)))
    return "\n".join(
        [
            "% \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escaped(caption_of(table, report, seed))}}}",
            f"\\label{{tab:{table.name.replace('_', '-')}}}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            _tex_row([escaped(name) for name in table.columns]),
            "\\midrule",
            *map(_tex_row, rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def caption_of(table: ReportTable, report: Report, seed: int) -> str:
    """Return a caption that says what is counted, of how many things, and by which seed."""
    return f"{report.title}. {table.title}. {report.n:,} {report.unit}, seed {seed}."


def escaped(text: str) -> str:
    """Return the text with the characters that mean something to LaTeX as it prints them."""
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _is_numbers(table: ReportTable, place: int) -> bool:
    cells: list[Cell] = [row[place] for row in table.rows]
    return any(cell is not None for cell in cells) and not any(isinstance(cell, str) for cell in cells)


RESULT = "report.json"


class ReportFile(TypedDict):
    """The result of a step of `python -m evaluation`."""

    figures: Mapping[str, float]
    """By name; shares in percent, of content selection from 0 to 1. Not rounded."""
    n: int
    """The number of things that were scored."""
    seed: int
    """The seed of all that was drawn."""
    settings: Mapping[str, Any]
    """The step, its options and what it chose."""
    versions: Mapping[str, str]
    """Of Python, of the packages and of the form of reports (`evaluation`)."""
    inputs: Mapping[str, str]
    """The SHA-256 digest of each file or folder that was read."""


class SplitFile(TypedDict):
    """The images behind a report."""

    seed: int
    """The seed of the report."""
    images: Mapping[str, Sequence[str]]
    """Their names, by what they were used for."""


def check_target(out: Path) -> None:
    """Refuse a target that holds anything but an earlier report. Raises InputError."""
    if not out.parent.is_dir():
        raise InputError(f"The folder {out.parent} does not exist: make it first.")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file: name a folder for the report.")
    if out.is_dir() and any(out.iterdir()) and not (out / RESULT).is_file():
        raise InputError(f"{out} is not empty and holds no report: name another folder.")


def write_report(report: Report, result: ReportFile, out: Path) -> None:
    """Write all files. `result`: the contents of report.json. An earlier report in `out` is replaced."""
    with _complete_folder(out) as folder:
        (folder / RESULT).write_text(json_text(result), encoding="utf-8")
        for table in report.tables:
            (folder / f"{table.name}.csv").write_text(csv_text(table), encoding="utf-8", newline="")
            if table.on_page:
                (folder / f"{table.name}.tex").write_text(table_text(table, report, result["seed"]), encoding="utf-8")
        if report.split:
            split: SplitFile = {
                "seed": result["seed"],
                "images": {use: list(names) for use, names in report.split.items()},
            }
            (folder / "split.json").write_text(json_text(split), encoding="utf-8")
        if cited := cited_by(result["settings"].get("step", "")):
            (folder / "cite.bib").write_text(bibtex(cited), encoding="utf-8")
        for name, text in report.files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        for chart in report.charts:
            draw_chart(chart, folder)
        for drawing in report.drawings:
            (folder / f"{drawing.name}.jpg").write_bytes(drawing.data)
        page = page_of(report, result)
        (folder / "report.md").write_text(page, encoding="utf-8")
        (folder / "report.html").write_text(html_of(page), encoding="utf-8")


def json_text(result: Mapping[str, Any]) -> str:
    """Return JSON with sorted keys: equal values give equal bytes. Raises ValueError for NaN."""
    return json.dumps(result, sort_keys=True, indent=1, allow_nan=False, ensure_ascii=False, default=_plain) + "\n"


def csv_text(table: ReportTable) -> str:
    """Return the table with a line of column names. Numbers are not rounded; None is an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()


def _cell(value: Cell) -> Cell:
    if isinstance(value, np.generic):
        plain: Cell = value.item()
        return plain
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t"):
        return f"'{value}"  # a spreadsheet would calculate with it
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not a value of JSON")


@contextmanager
def _complete_folder(out: Path) -> Iterator[Path]:
    folder = out.with_name(f".{out.name}.partial-{secrets.token_hex(4)}")
    folder.mkdir()
    try:
        yield folder
        if out.exists():
            old = out.with_name(f".{out.name}.old-{secrets.token_hex(4)}")
            os.rename(out, old)
            os.rename(folder, out)
            shutil.rmtree(old)
        else:
            os.rename(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
