"""Files for download: no cell is a formula, and nobody keeps a file for others."""

import csv

from upkeep.downloads import csv_lines, download


def test_no_spreadsheet_takes_a_text_for_a_formula_and_numbers_stay_numbers() -> None:
    cells = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "plain", -1, None]
    _, row = csv.reader(csv_lines(["a"] * len(cells), [cells]))
    assert row == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "plain", "-1", ""]


def test_a_download_has_a_name_and_is_kept_by_nobody() -> None:
    response = download(["a\n", "b\n"], "parks.csv")
    assert response.getvalue() == b"a\nb\n"
    assert response["Content-Disposition"] == 'attachment; filename="parks.csv"'
    assert response["Cache-Control"] == "private, no-store"
