"""Reports go into papers: tables as LaTeX, names in words, the split and the seed, and the papers to cite."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.figure_names import figure_name
from evaluation.latex import escaped, table_text
from evaluation.papers import CITED, PAPERS, bibtex, cited_by
from evaluation.report import Report, Table
from evaluation.step import SYSTEMS, all_steps

Run = Callable[..., dict[str, Any]]


def test_a_table_is_set_by_booktabs_with_a_caption_that_stands_alone() -> None:
    table = Table("by_type", "Recall by type, %", ["type", "R@1", "n"], [["body_parts", 12.5, 3], ["R&D", None, 1200]])

    assert table_text(table, Report("Localization", 1203, "phrases"), 7).splitlines() == [
        "% \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\caption{Localization. Recall by type, \\%. 1,203 phrases, seed 7.}",
        "\\label{tab:by-type}",
        "\\begin{tabular}{lrr}",
        "\\toprule",
        "type & R@1 & n \\\\",
        "\\midrule",
        "body\\_parts & 12.50 & 3 \\\\",
        "R\\&D &  & 1,200 \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]


def test_what_means_something_to_latex_is_printed_as_it_is() -> None:
    assert escaped("50 % of {a_b} & $c ~ \\d #1 < 2") == (
        r"50 \% of \{a\_b\} \& \$c \textasciitilde{} \textbackslash{}d \#1 \textless{} 2"
    )


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("upper_bound.P.sd", "people against each other, P, standard deviation"),
        ("R@1.bodyparts", "R@1, body parts"),
        ("human_majority.t2.all", "people, majority, task 2, all foils"),
        ("CIDEr.ALL:200@0.7", "CIDEr.ALL:200@0.7"),
    ],
)
def test_figures_have_names_in_words(key: str, name: str) -> None:
    assert figure_name(key) == name


def test_every_step_that_scores_cites_papers_that_are_known() -> None:
    assert {*CITED} <= {*SYSTEMS, *(f"{step.system} {step.name}" for step in all_steps())}
    assert all(cited_by(f"{step.system} {step.name}") for step in all_steps())
    assert {key for keys in CITED.values() for key in keys} == {*PAPERS}


def test_bibtex_has_an_entry_a_paper() -> None:
    text = bibtex(["luo2005", "wang2015"])

    assert re.findall(r"@misc\{(\w+),", text) == ["luo2005", "wang2015"]
    assert "author = {Wang, Josiah and Gaizauskas, Robert}" in text
    assert text.count("{") == text.count("}")


def test_a_report_holds_its_split_its_seed_and_its_citations(run: Run, export: Path, tmp_path: Path) -> None:
    run("localization", "baselines", "--data", export, "--seed", "3")
    folder = tmp_path / "report"

    assert json.loads((folder / "split.json").read_text()) == {"seed": 3, "images": {"scored": ["cat", "man"]}}
    assert "@misc{plummer2017" in (folder / "cite.bib").read_text()
    page = (folder / "report.md").read_text()
    assert "- Plummer et al.: Flickr30k Entities" in page
    assert "| phrases with a box, body parts |" in page
    assert {file.stem for file in folder.glob("*.tex")} <= {file.stem for file in folder.glob("*.csv")}
    assert (folder / "table_5.tex").exists()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex (texlive-latex-recommended)")
def test_latex_sets_every_table(run: Run, export: Path, tmp_path: Path) -> None:
    run("localization", "baselines", "--data", export)
    inputs = "".join(f"\\input{{{file}}}\n" for file in (tmp_path / "report").glob("*.tex"))
    document = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{inputs}\\end{{document}}\n"
    (tmp_path / "all.tex").write_text(document)
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path, check=True)
