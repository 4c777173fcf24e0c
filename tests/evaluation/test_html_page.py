"""The page of a report for a browser: everything of the Markdown page, and nothing that runs."""

from evaluation.html_page import html_of
from evaluation.page import page_of
from evaluation.report import Drawing, Report
from tests.evaluation.test_write_report import RESULT


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
