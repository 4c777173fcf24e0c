from reports.measure import measure
from reports.tables import percent, statistics_text, table
from tests.support.small_data_set import beach, dog


def test_columns_are_aligned():
    assert table("T", ["type", "n"], [["people", "1,000"], ["all", "2"]]).splitlines() == [
        "T",
        "-------------",
        "type        n",
        "-------------",
        "people  1,000",
        "all         2",
    ]


def test_a_small_share_is_not_written_as_nothing():
    assert [percent(value) for value in (None, 0.0, 0.0004, 0.0006, 1.0)] == ["-", "0.0%", "<0.1%", "0.1%", "100.0%"]


def test_the_text_has_every_table_and_figure():
    text = statistics_text(measure([beach(), dog()], {"asked yes": 2}))
    for part in ("Table 1.", "Table 4.", "Section 3.4.", "Figure 3.", "Figure 5.", "Figure 6 (a).", "Figure 6 (b)."):
        assert part in text
    lines = [line.split() for line in text.splitlines()]
    assert ["people", "2", "1.50", "1.00"] in lines
    assert ["chains", "without", "a", "box", "20.0%"] in lines
    assert ["vehicles", "0", "-", "-"] in lines
    assert ["asked", "yes", "2", "100.0%"] in lines


def test_an_empty_data_set_has_a_text_too():
    text = statistics_text(measure([]))
    assert text.startswith("0 images, 0 captions")
    assert "not known for this data set" in text
