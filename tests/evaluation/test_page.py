"""The page of a report."""

from evaluation.page import cell_text, page_of
from evaluation.report import Compared, Report, Table

RESULT = {"seed": 3, "settings": {"step": "x y"}, "inputs": {"data": "00ff"}, "versions": {"python": "3"}}


def test_the_papers_value_stands_beside_ours_with_the_reason_if_they_differ_in_kind() -> None:
    report = Report("T", 2, "images", figures={"R@1": 12.5, "R@5": 20.0})
    report.compared = [Compared("R@1", 24.0), Compared("R@5", 30.0, "other images")]
    page = page_of(report, RESULT)
    assert "| R@1 | 12.50 | 24 | comparable |" in page
    assert "| R@5 | 20.00 | 30 | other images |" in page


def test_a_row_that_cannot_be_made_says_what_it_needs() -> None:
    report = Report("T", 2, "images", missing={"CCA": "features of Fast R-CNN"})
    assert "- CCA: not reproduced: needs features of Fast R-CNN" in page_of(report, RESULT)


def test_long_tables_end_with_the_name_of_their_file() -> None:
    report = Report("T", 2, "images", tables=[Table("long", "Long", ["a"], [[i] for i in range(1010)])])
    assert "10 more rows: long.csv" in page_of(report, RESULT)


def test_a_bar_in_a_phrase_does_not_break_the_table() -> None:
    report = Report("T", 1, "images", tables=[Table("t", "T", ["a"], [["x|y"]])])
    assert "| x\\|y |" in page_of(report, RESULT)


def test_numbers_are_shortened_for_reading() -> None:
    assert [cell_text(one) for one in (None, 7292, 1 / 3, 1.0, 24.588590, 1234.5)] == [
        "", "7,292", "0.333", "1.000", "24.59", "1,234.50",
    ]  # fmt: skip
