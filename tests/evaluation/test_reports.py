"""Files of a report.
The page of a report.
Reports go into papers: tables as LaTeX, names in words, the split and the seed, and the papers to cite.
The page of a report for a browser: everything of the Markdown page, and nothing that runs.
"""

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from evaluation.figure_names import figure_name
from evaluation.html_page import html_of
from evaluation.latex import escaped, table_text
from evaluation.page import cell_text, page_of
from evaluation.papers import CITED, PAPERS, bibtex, cited_by
from evaluation.report import Chart, Compared, Drawing, Report, Table
from evaluation.step import SYSTEMS, all_steps
from evaluation.write_report import ReportFile, csv_text, json_text, write_report
from tests.support.table import case, row

Run = Callable[..., dict[str, Any]]
RESULT: ReportFile = {"figures": {}, "n": 1, "seed": 0, "settings": {}, "inputs": {}, "versions": {}}


def test_json_has_sorted_keys_and_full_precision_and_no_figure_that_is_no_number() -> None:
    text = json_text({"b": np.float64(1 / 3), "a": np.int64(2)})
    assert text.index('"a"') < text.index('"b"') and json.loads(text) == {"a": 2, "b": 1 / 3}
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"a": float("nan")})


def test_a_table_can_be_read_again_and_starts_no_formula() -> None:
    table = Table("t", "T", ["words", "value"], [["=1+1", 1 / 3], ['a, "b"\nc', None]])
    rows = list(csv.reader(csv_text(table).splitlines(keepends=True)))
    assert rows == [["words", "value"], ["'=1+1", repr(1 / 3)], ['a, "b"\nc', ""]]


def test_nothing_is_left_if_a_chart_fails(tmp_path: Path) -> None:
    report = Report("T", 1, "things", charts=[Chart("c", "C", Mock(side_effect=RuntimeError("no chart")))])
    with pytest.raises(RuntimeError):
        write_report(report, RESULT, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


PAGE_RESULT = {"seed": 3, "settings": {"step": "x y"}, "inputs": {"data": "00ff"}, "versions": {"python": "3"}}


def test_the_papers_value_stands_beside_ours_with_the_reason_if_they_differ_in_kind() -> None:
    report = Report("T", 2, "images", figures={"R@1": 12.5, "R@5": 20.0})
    report.compared = [Compared("R@1", 24.0), Compared("R@5", 30.0, "other images")]
    page = page_of(report, PAGE_RESULT)
    assert "| R@1 | 12.50 | 24 | comparable |" in page and "| R@5 | 20.00 | 30 | other images |" in page


LONG, BAR = Table("long", "Long", ["a"], [[i] for i in range(1010)]), Table("t", "T", ["a"], [["x|y"]])
NEEDED = "- CCA: not reproduced: needs features of Fast R-CNN"


@case("a row that cannot be made says what it needs", {"missing": {"CCA": "features of Fast R-CNN"}}, NEEDED)
@case("long tables end with the name of their file", {"tables": [LONG]}, "10 more rows: long.csv")
@case("a bar in a phrase does not break the table", {"tables": [BAR]}, "| x\\|y |")
def test_a_page_holds(what: dict[str, Any], told: str) -> None:
    assert told in page_of(Report("T", 2, "images", **what), PAGE_RESULT)


def test_numbers_are_shortened_for_reading() -> None:
    found = [cell_text(one) for one in (None, 7292, 1 / 3, 1.0, 24.588590, 1234.5)]
    assert found == ["", "7,292", "0.333", "1.000", "24.59", "1,234.50"]


TABLE_TEX = r"""% \usepackage{booktabs}
\begin{table}
\centering
\caption{Localization. Recall by type, \%. 1,203 phrases, seed 7.}
\label{tab:by-type}
\begin{tabular}{lrr}
\toprule
type & R@1 & n \\
\midrule
body\_parts & 12.50 & 3 \\
R\&D &  & 1,200 \\
\bottomrule
\end{tabular}
\end{table}"""


def test_a_table_is_set_by_booktabs_with_a_caption_that_stands_alone() -> None:
    table = Table("by_type", "Recall by type, %", ["type", "R@1", "n"], [["body_parts", 12.5, 3], ["R&D", None, 1200]])

    assert table_text(table, Report("Localization", 1203, "phrases"), 7).rstrip("\n") == TABLE_TEX


def test_what_means_something_to_latex_is_printed_as_it_is() -> None:
    printed = r"50 \% of \{a\_b\} \& \$c \textasciitilde{} \textbackslash{}d \#1 \textless{} 2"
    assert escaped("50 % of {a_b} & $c ~ \\d #1 < 2") == printed


@row("upper_bound.P.sd", "people against each other, P, standard deviation")
@row("R@1.bodyparts", "R@1, body parts")
@row("human_majority.t2.all", "people, majority, task 2, all foils")
@row("CIDEr.ALL:200@0.7", "CIDEr.ALL:200@0.7")
def test_figures_have_names_in_words(key: str, name: str) -> None:
    assert figure_name(key) == name


def test_every_step_that_scores_cites_papers_that_are_known() -> None:
    assert {*CITED} <= {*SYSTEMS, *(f"{step.system} {step.name}" for step in all_steps())}
    assert all(cited_by(f"{step.system} {step.name}") for step in all_steps())
    assert {key for keys in CITED.values() for key in keys} == {*PAPERS}


def test_bibtex_has_an_entry_a_paper() -> None:
    text = bibtex(["luo2005", "wang2015"])

    assert re.findall(r"@misc\{(\w+),", text) == ["luo2005", "wang2015"]
    assert "author = {Wang, Josiah and Gaizauskas, Robert}" in text and text.count("{") == text.count("}")


def test_a_report_holds_its_split_its_seed_and_its_citations(run: Run, export: Path, tmp_path: Path) -> None:
    run("localization", "baselines", "--data", export, "--seed", "3")
    folder = tmp_path / "report"

    assert json.loads((folder / "split.json").read_text()) == {"seed": 3, "images": {"scored": ["cat", "man"]}}
    assert "@misc{plummer2017" in (folder / "cite.bib").read_text()
    page = (folder / "report.md").read_text()
    assert "- Plummer et al.: Flickr30k Entities" in page and "| phrases with a box, body parts |" in page
    assert {file.stem for file in folder.glob("*.tex")} <= {file.stem for file in folder.glob("*.csv")}
    assert (folder / "table_5.tex").exists()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex (texlive-latex-recommended)")
def test_latex_sets_every_table(run: Run, export: Path, tmp_path: Path) -> None:
    run("localization", "baselines", "--data", export)
    inputs = "".join(f"\\input{{{file}}}\n" for file in (tmp_path / "report").glob("*.tex"))
    document = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{inputs}\\end{{document}}\n"
    (tmp_path / "all.tex").write_text(document)
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path, check=True)


def page(report: Report) -> str:
    """Return the page of the report."""
    return html_of(page_of(report, RESULT))


def test_tables_have_their_cells_and_numbers_stand_below_each_other() -> None:
    report = Report("T", 1, "things")
    report.table("t", "Kinds", ["kind", "all"], [["a|b", 1200], ["", 3]])

    shown = page(report)

    assert '<th>kind</th><th class="number">all</th>' in shown
    assert '<tr><td>a|b</td><td class="number">1,200</td></tr><tr><td></td><td class="number">3</td></tr>' in shown
    assert 'role="region" aria-label="Kinds"' in shown


def test_words_of_a_report_are_no_markup() -> None:
    report = Report("<b>T</b>", 1, "things", notes=['<script>alert("x")</script>'])
    report.table("t", "<i>", ["<u>"], [["<s>"]])
    report.drawings.append(Drawing("d", 'a "<dog>"', b""))

    shown = page(report)

    assert not any(tag in shown for tag in ("<b>", "<script", "<i>", "<u>", "<s>", "<dog>"))
    assert '<img src="d.jpg" alt="a &quot;&lt;dog&gt;&quot;"' in shown


def test_a_list_is_one_and_a_paragraph_is_a_line() -> None:
    report = Report("T", 1, "things", notes=["One.", "Two."], missing={"CCA": "features", "more": "data"})

    shown = page(report)

    assert "<p>One.</p>\n<p>Two.</p>" in shown
    assert "<ul><li>CCA: not reproduced: needs features</li><li>more: not reproduced: needs data</li></ul>" in shown
