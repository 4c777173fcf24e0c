"""Files of a report."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.report import Chart, Report, Table
from evaluation.write_report import ReportFile, csv_text, json_text, write_report

RESULT: ReportFile = {"figures": {}, "n": 1, "seed": 0, "settings": {}, "inputs": {}, "versions": {}}


def test_json_has_sorted_keys_and_full_precision() -> None:
    text = json_text({"b": np.float64(1 / 3), "a": np.int64(2)})
    assert text.index('"a"') < text.index('"b"')
    assert json.loads(text) == {"a": 2, "b": 1 / 3}


def test_a_figure_that_is_no_number_is_an_error() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"a": float("nan")})


def test_a_table_can_be_read_again_and_starts_no_formula() -> None:
    table = Table("t", "T", ["words", "value"], [["=1+1", 1 / 3], ['a, "b"\nc', None]])
    rows = list(csv.reader(csv_text(table).splitlines(keepends=True)))
    assert rows == [["words", "value"], ["'=1+1", repr(1 / 3)], ['a, "b"\nc', ""]]


def test_nothing_is_left_if_a_chart_fails(tmp_path: Path) -> None:
    def fail(figure: Any) -> None:
        raise RuntimeError("no chart")

    report = Report("T", 1, "things", charts=[Chart("c", "C", fail)])
    with pytest.raises(RuntimeError):
        write_report(report, RESULT, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
