"""Writes a report: everything into a folder beside the target, which is renamed when it is complete."""

import csv
import io
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import TypedDict

from evaluation.charts import draw_chart
from evaluation.errors import InputError
from evaluation.page import cell_text, html_of, page_of
from evaluation.papers import bibtex, cited_by
from evaluation.report import Cell, Report, ReportTable

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
            _row([escaped(name) for name in table.columns]),
            "\\midrule",
            *map(_row, rows),
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


def _row(cells: Sequence[str]) -> str:
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
