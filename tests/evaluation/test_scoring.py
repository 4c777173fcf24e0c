"""Overlap of boxes, and suppression.
Recall at K.
Intervals by drawing images again.
Recall, suppression and bound equal a slow reference on random boxes of which many are equal or tie.
Files of a report.
The page of a report.
Reports go into papers: tables as LaTeX, names in words, the split and the seed, and the papers to cite.
The page of a report for a browser: everything of the Markdown page, and nothing that runs.
The command: it lists steps, writes whole reports or none, and says what is wrong in one sentence.
Optional packages are named, with the command that installs them, when they are missing.
Seeds, progress and digests of a step, and results that an interrupted run leaves for the next one.
"""

import csv
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from evaluation.bootstrap import interval, resampled_shares, two_sided
from evaluation.command_line import main, overview
from evaluation.errors import MissingExtra, need
from evaluation.papers import CITED, PAPERS, bibtex, cited_by
from evaluation.report import Compared, Report, ReportChart, ReportPicture, ReportTable
from evaluation.scoring import (
    area,
    first_hit,
    iou,
    members,
    nms,
    paired_iou,
    proposal_bound,
    recall_at,
    recall_figures,
)
from evaluation.steps import STEPS
from evaluation.work import PartialResults, StepWork, digest_of
from evaluation.write_report import (
    ReportFile,
    cell_text,
    csv_text,
    escaped,
    figure_name,
    html_of,
    json_text,
    page_of,
    table_text,
    write_report,
)
from tests.support.table import case, row

WHOLE, HALF, MORE = (0, 0, 10, 10), (0, 0, 10, 5), (0, 0, 10, 6)


def test_half_of_a_box_overlaps_by_a_half_and_boxes_that_touch_or_have_no_area_not_at_all() -> None:
    assert iou(np.array([WHOLE]), np.array([HALF, [20, 20, 30, 30]])).tolist() == [[0.5, 0.0]]
    assert iou(np.array([[0, 0, 5, 5]]), np.array([[5, 0, 10, 5]])).tolist() == [[0.0]]
    assert paired_iou(np.array([3.0, 3, 3, 3]), np.array([3.0, 3, 3, 3])).tolist() == 0.0
    assert area(np.array([[1, 2, 4, 6]])).tolist() == [12], "square pixels"


@case("an overlap of exactly the threshold suppresses nothing", np.array([WHOLE, HALF]), [0.1, 0.2], [0, 1])
# HALF overlaps MORE by 0.83 and WHOLE by 0.5; MORE goes because of WHOLE.
@case("a suppressed box suppresses nothing", np.array([WHOLE, MORE, HALF]), [0.1, 0.2, 0.3], [0, 2])
@case("ties keep their order", np.array([(0, 0, 1, 1), WHOLE, HALF]), [0.5, 0.5, 0.5], [0, 1, 2])
@case("no boxes stay of none", np.zeros((0, 4)), [], [])
@case("a box goes if a better one overlaps it by more", np.array([MORE, WHOLE]), [0.2, 0.1], [1])
def test_nms(boxes, distances, expected) -> None:
    assert nms(boxes, np.array(distances)).tolist() == expected


LESS = (0, 0, 10, 4)


def test_an_overlap_of_exactly_a_half_is_a_hit_and_a_query_without_boxes_a_miss() -> None:
    assert first_hit(np.array([LESS, HALF]), WHOLE) == 2
    assert proposal_bound(np.array([HALF]), np.array([WHOLE, LESS])).tolist() == [True, True]
    assert proposal_bound(np.array([LESS]), np.array([WHOLE])).tolist() == [False]
    assert first_hit(np.zeros((0, 4)), WHOLE) == 0
    assert proposal_bound(np.zeros((0, 4)), np.array([WHOLE])).tolist() == [False]


def test_recall_counts_ranks_up_to_k_and_no_misses_and_a_query_of_two_types_in_each_and_once_in_all() -> None:
    assert [recall_at(np.array([1, 2, 5, 6, 0]), k) for k in (1, 5, 10)] == [20, 60, 80]
    figures = recall_figures(np.array([1, 0]), members([("people", "clothing"), ("people",)]))
    assert (figures["R@1"], figures["R@1.people"], figures["R@1.clothing"]) == (50, 50, 100)
    assert "R@1.animals" not in figures


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_the_interval_holds_the_spread_of_a_share() -> None:
    truth = np.random.default_rng(1).random((400, 1)) < 0.3
    low, high = interval(resampled_shares(truth.astype(float), np.ones((400, 1)), rng(), 2000))
    assert low[0] < 100 * truth.mean() < high[0]
    assert high[0] - low[0] == pytest.approx(2 * 1.96 * 100 * np.sqrt(0.3 * 0.7 / 400), rel=0.12)


def test_phrases_of_one_image_are_drawn_together_and_by_the_same_seed_the_same_images_for_two_models() -> None:
    hits, sizes = np.array([[50.0], [0.0]]), np.array([[50.0], [50.0]])
    assert set(np.unique(resampled_shares(hits, sizes, rng(), 200))) == {0, 50, 100}
    hits, sizes = np.arange(20.0).reshape(10, 2), np.full((10, 2), 20.0)
    first, second = (resampled_shares(hits, sizes, rng(), 120) for _ in range(2))
    low, high = interval(first - second)
    assert (first == second).all() and (low == 0).all() and (high == 0).all()


def test_a_difference_that_never_changes_its_sign_has_the_smallest_p_and_no_queries_give_no_share() -> None:
    assert two_sided(np.array([[1.0, 0.0]] * 999)).tolist() == [0.002, 1.0]
    assert resampled_shares(np.zeros((3, 1)), np.zeros((3, 1)), rng(), 4).tolist() == [[0.0]] * 4


Box = Sequence[int]


def boxes(source: random.Random, number: int) -> list[tuple[int, int, int, int]]:
    found = []
    for _ in range(number):
        x0, y0 = source.randrange(5), source.randrange(5)
        found.append((x0, y0, x0 + source.randint(1, 5), y0 + source.randint(1, 5)))
    return found + found[: number // 4]


@pytest.mark.parametrize("seed", range(200))
def test_they_equal_the_reference(seed: int) -> None:
    source = random.Random(seed)
    proposals, golds = boxes(source, source.randint(1, 16)), boxes(source, 8)
    distances, array = [source.randrange(4) / 4 for _ in proposals], np.array(proposals)
    assert iou(array, np.array(golds)).tolist() == [[float(overlap(one, gold)) for gold in golds] for one in proposals]
    kept = nms(array, np.array(distances))
    assert kept.tolist() == suppressed(proposals, distances)
    ranks = [first_hit(array[kept], gold) for gold in golds]
    slow = [rank([proposals[i] for i in kept], gold) for gold in golds]
    assert ranks == slow
    for k in (1, 5, 10):
        assert recall_at(np.array(ranks), k) == 100 * sum(0 < one <= k for one in slow) / len(slow)
    assert proposal_bound(array, np.array(golds)).tolist() == [rank(proposals, gold) > 0 for gold in golds]


def overlap(one: Box, other: Box) -> Fraction:
    pixels, others = cells(one), cells(other)
    either = len(pixels | others)
    return Fraction(len(pixels & others), either) if either else Fraction(0)


def cells(box: Box) -> set[tuple[int, int]]:
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


def suppressed(boxes: Sequence[Box], distances: Sequence[float]) -> list[int]:
    kept: list[int] = []
    for i in sorted(range(len(boxes)), key=lambda i: (distances[i], i)):
        if all(overlap(boxes[i], boxes[j]) <= Fraction(1, 2) for j in kept):
            kept.append(i)
    return kept


def rank(ranked: Sequence[Box], gold: Box) -> int:
    return next((i for i, box in enumerate(ranked, start=1) if overlap(box, gold) >= Fraction(1, 2)), 0)


Run = Callable[..., dict[str, Any]]
RESULT: ReportFile = {"figures": {}, "n": 1, "seed": 0, "settings": {}, "inputs": {}, "versions": {}}


def test_json_has_sorted_keys_and_full_precision_and_no_figure_that_is_no_number() -> None:
    text = json_text({"b": np.float64(1 / 3), "a": np.int64(2)})
    assert text.index('"a"') < text.index('"b"') and json.loads(text) == {"a": 2, "b": 1 / 3}
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"a": float("nan")})


def test_a_table_can_be_read_again_and_starts_no_formula() -> None:
    table = ReportTable("t", "T", ["words", "value"], [["=1+1", 1 / 3], ['a, "b"\nc', None]])
    rows = list(csv.reader(csv_text(table).splitlines(keepends=True)))
    assert rows == [["words", "value"], ["'=1+1", repr(1 / 3)], ['a, "b"\nc', ""]]


def test_nothing_is_left_if_a_chart_fails(tmp_path: Path) -> None:
    report = Report("T", 1, "things", charts=[ReportChart("c", "C", Mock(side_effect=RuntimeError("no chart")))])
    with pytest.raises(RuntimeError):
        write_report(report, RESULT, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


PAGE_RESULT = {"seed": 3, "settings": {"step": "x y"}, "inputs": {"data": "00ff"}, "versions": {"python": "3"}}


def test_the_papers_value_stands_beside_ours_with_the_reason_if_they_differ_in_kind() -> None:
    report = Report("T", 2, "images", figures={"R@1": 12.5, "R@5": 20.0})
    report.compared = [Compared("R@1", 24.0), Compared("R@5", 30.0, "other images")]
    page = page_of(report, PAGE_RESULT)
    assert "| R@1 | 12.50 | 24 | comparable |" in page and "| R@5 | 20.00 | 30 | other images |" in page


LONG, BAR = ReportTable("long", "Long", ["a"], [[i] for i in range(1010)]), ReportTable("t", "T", ["a"], [["x|y"]])
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
    table = ReportTable(
        "by_type", "Recall by type, %", ["type", "R@1", "n"], [["body_parts", 12.5, 3], ["R&D", None, 1200]]
    )

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
    assert {*CITED} <= {name for step in STEPS for name in (step.system, f"{step.system} {step.name}")}
    assert all(cited_by(f"{step.system} {step.name}") for step in STEPS)
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
    report.drawings.append(ReportPicture("d", 'a "<dog>"', b""))

    shown = page(report)

    assert not any(tag in shown for tag in ("<b>", "<script", "<i>", "<u>", "<s>", "<dog>"))
    assert '<img src="d.jpg" alt="a &quot;&lt;dog&gt;&quot;"' in shown


def test_a_list_is_one_and_a_paragraph_is_a_line() -> None:
    report = Report("T", 1, "things", notes=["One.", "Two."], missing={"CCA": "features", "more": "data"})

    shown = page(report)

    assert "<p>One.</p>\n<p>Two.</p>" in shown
    assert "<ul><li>CCA: not reproduced: needs features</li><li>more: not reproduced: needs data</li></ul>" in shown


BASELINES = ("localization", "baselines")


def test_it_lists_every_step_with_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    told = capsys.readouterr().out
    assert told == overview() + "\n"
    assert all(f"{step.system} {step.name}" in told and step.words in told for step in STEPS)


def test_every_step_explains_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    for step in STEPS:
        with pytest.raises(SystemExit) as left:
            main([step.system, step.name, "--help"])
        assert left.value.code == 0
        told = " ".join(capsys.readouterr().out.split())
        assert all(f"--{option.name.replace('_', '-')}" in told for option in step.options), (step.system, step.name)


def test_a_report_has_figures_settings_versions_and_digests(run: Run, export: Path) -> None:
    report = run(*BASELINES, "--data", export, "--seed", "7")
    assert set(report) == {"figures", "n", "seed", "settings", "versions", "inputs"}
    assert (report["n"], report["seed"], report["settings"]["step"]) == (5, 7, "localization baselines")
    assert len(report["inputs"]["data"]) == 64 and {"python", "numpy"} <= set(report["versions"])


@pytest.mark.slow
def test_a_seed_gives_the_same_files_and_another_other_random_figures(run: Run, export: Path, tmp_path: Path) -> None:
    figures = {}
    for out, seed in (("first", "1"), ("second", "1"), ("other", "2")):
        arguments = ["content_selection", "baselines", "--data", export, "--draws", "5", "--seed", seed]
        figures[out] = run(*arguments, out=out, charts=True)["figures"]
    assert figures["first"]["random.P@1"] != figures["other"]["random.P@1"]
    assert figures["first"]["size.P@1"] == figures["other"]["size.P@1"]
    first, second = ({one.name: one.read_bytes() for one in (tmp_path / out).iterdir()} for out in ("first", "second"))
    assert {"report.json", "report.md", "table_1.csv", "figure_3.svg", "figure_3.png"} <= set(first)
    assert first == second


@pytest.mark.slow
def test_a_report_without_charts_has_the_same_figures_and_tables(run: Run, export: Path, tmp_path: Path) -> None:
    assert run(*BASELINES, "--data", export, charts=True) == run(*BASELINES, "--data", export, out="without")
    whole, without = ({one.name for one in (tmp_path / out).iterdir()} for out in ("report", "without"))
    charts = {name for name in whole if name.endswith((".svg", ".png"))}
    names = ("figure_9a", "figure_9b", "recall_by_k", "recall_by_type")
    assert charts == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}
    assert without == whole - charts
    assert ".svg" not in (tmp_path / "without" / "report.md").read_text()


def test_refused_input_is_told_and_leaves_no_report(export: Path, tmp_path: Path, refused: Callable[..., str]) -> None:
    (export / "Sentences" / "cat.txt").write_text("A [cat sits\n")
    assert "Sentences/cat.txt:1: the bracket at character 3" in refused(*BASELINES, "--data", export)
    assert "--data: " in refused(*BASELINES, "--data", tmp_path / "none")
    assert {one.name for one in tmp_path.iterdir()} == {"export"}


def test_an_earlier_report_stays_if_the_next_input_is_refused_and_a_folder_of_something_else_always(
    run: Run, export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = run(*BASELINES, "--data", export)
    assert main([*BASELINES, "--data", str(export), "--out", str(export)]) == 1
    assert "is not empty and holds no report" in capsys.readouterr().err and (export / "Sentences").is_dir()
    (export / "Annotations" / "cat.xml").unlink()
    assert main([*BASELINES, "--data", str(export), "--out", str(tmp_path / "report")]) == 1
    told = capsys.readouterr().err
    assert "has no Annotations/cat.xml" in told and "is that of an earlier run" in told
    assert before["n"] == 5


@pytest.mark.slow
def test_a_report_replaces_an_earlier_one_with_all_its_files(run: Run, export: Path, tmp_path: Path) -> None:
    run("content_selection", "baselines", "--data", export, "--draws", "5", charts=True)
    assert (tmp_path / "report" / "figure_3.svg").exists()
    run(*BASELINES, "--data", export)
    assert not (tmp_path / "report" / "figure_3.svg").exists()
    assert (tmp_path / "report" / "table_6.csv").exists()
    assert {one.name for one in tmp_path.iterdir()} == {"export", "report"}


def test_it_starts_without_django_and_knows_of_the_service_rules_and_formats_alone() -> None:
    pytest.importorskip("scipy", reason="needs the extra evaluation")
    code = (
        "import sys; from evaluation.command_line import main; main([]);"
        "others = ('django', 'config', 'projects', 'pipeline', 'belief', 'workers', 'accounts', 'simulation');"
        "print([one for one in sys.modules if one.partition('.')[0] in others])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(MissingExtra, match=r"Finding edges needs opencv-.*setup.sh evaluation"):
        need("cv2", "finding edges")


def test_without_matplotlib_a_step_says_so_and_writes_nothing_unless_charts_are_left_out(
    monkeypatch: pytest.MonkeyPatch, export: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ["localization", "baselines", "--data", str(export), "--out", str(tmp_path / "report")]
    assert main(arguments) == 1
    assert "Drawing charts needs matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
    assert main([*arguments, "--no-charts"]) == 0


def test_random_numbers_depend_on_seed_and_use_alone() -> None:
    work, same, other = StepWork(None, {}, seed=1), StepWork(None, {}, seed=1), StepWork(None, {}, seed=2)
    work.rng("another use").random()
    assert work.rng("use").random() == same.rng("use").random()
    assert len({work.rng("use").random(), work.rng("else").random(), other.rng("use").random()}) == 3


def test_progress_and_finished_parts_are_told_to_a_listener_or_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[tuple[int, int, str]] = []
    work = StepWork(None, {}, progress_shown=lambda *one: told.append(one))
    assert list(work.progress([5, 6], "reading")) == [5, 6]
    work.say("epoch 1")
    assert told == [(0, 2, "reading"), (1, 2, "reading"), (0, 0, "epoch 1")]
    StepWork(None, {}).say("epoch 2")
    assert capsys.readouterr().err == "epoch 2\n"


def test_a_file_is_noted_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    work = StepWork(None, {"against": path, "fit": None})
    assert (work.file("against"), work.file("fit")) == (path, None)
    assert work.inputs == {"against": hashlib.sha256(b"").hexdigest()}


def test_a_folder_has_another_digest_when_a_name_or_a_byte_changes(export: Path) -> None:
    before = digest_of(export)
    assert digest_of(export) == before
    file = (export / "Sentences" / "cat.txt").rename(export / "Sentences" / "dog.txt")
    renamed = digest_of(export)
    file.write_text("A dog .")
    assert len({before, renamed, digest_of(export)}) == 3


def made() -> dict[str, np.ndarray]:
    return {"a": np.arange(3)}


def never() -> dict[str, np.ndarray]:
    raise AssertionError("made again")


def test_an_array_is_made_once_for_a_key_and_nothing_is_left_when_it_is_forgotten(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    kept.arrays("part", {"seed": 1}, made)
    assert kept.arrays("part", {"seed": 1}, never)["a"].tolist() == [0, 1, 2]
    assert kept.arrays("part", {"seed": 2}, lambda: {"a": np.zeros(1)})["a"].tolist() == [0]
    kept.forget()
    assert list(tmp_path.iterdir()) == []
    assert PartialResults().arrays("part", {}, made)["a"].tolist() == [0, 1, 2], "without a folder nothing is kept"


def test_what_is_kept_is_found_until_it_is_dropped(tmp_path: Path) -> None:
    kept = PartialResults(tmp_path / "kept")
    assert kept.find("part", {}) is None
    kept.keep("part", {}, made())
    found = kept.find("part", {})
    assert found is not None and found["a"].tolist() == [0, 1, 2]
    kept.drop("part", {})
    kept.drop("part", {})
    assert kept.find("part", {}) is None
