"""A measurement in words: the conclusion says no more than the intervals do, and the table shows both sides."""

from typing import Any

from campaign.predictions.measure.measurements import conclusion, rows_of


def values(answers: list[float] | None, hours: list[float], boxes: list[float] | None, **more: Any) -> dict[str, Any]:
    def of_sum(before: float, after: float, change: list[float] | None) -> dict[str, Any]:
        return {"without": before, "with": after, "change": change}

    shares = {"without": [90, 100], "with": [84, 98], "change": boxes}
    figures = {
        "answers": of_sum(1306, 1148, answers),
        "linking": of_sum(0, 0, None),
        "boxing": of_sum(1306, 1148, answers),
        "hours": of_sum(4.41, 3.31, hours),
        "cents": of_sum(4246, 3181, hours),
        "review": of_sum(0, 0, None),
        **dict.fromkeys(("boxes_right", "boxes_found", "chains_exact"), shares),
    }
    return {"figures": figures | more, "images": 20, "currency": "USD", "paid": True}


def test_the_conclusion_says_what_is_clear_and_what_chance_explains() -> None:
    less, more, unclear = [-0.18, -0.24, -0.12], [0.08, 0.03, 0.13], [-0.01, -0.04, 0.02]
    same = "As far as 20 images tell, as many of the final boxes are right: 85.7%, and 90.0% without it."
    expected = {
        "fewer and faster": (values(less, less, unclear), "18% fewer answers, likely 12% to 24%, and 18% less of"),
        "more and slower": (values(more, more, unclear), "8% more answers, likely 3% to 13%, and 8% more of workers’"),
        "nothing is clear": (
            values(unclear, unclear, unclear),
            "about as many answers: likely from 4% fewer to 2% more, and about as much time: likely from 4% less to 2%",
        ),
        "no difference in boxes": (values(less, less, unclear), same),
        "worse boxes": (values(less, less, less), "Of the final boxes fewer are right: 85.7%, and 90.0% without it."),
        "better boxes": (values(less, less, more), "Of the final boxes more are right: 85.7%, and 90.0% without it."),
        "no boxes": (values(less, less, None), "No boxes were drawn."),
        "nothing to ask": (values(None, less, None), "Simulated: nobody has to be asked anything about these 20"),
    }
    for case, (given, words) in expected.items():
        assert words in conclusion("net", given), case


def test_the_table_shows_both_sides_with_the_difference_and_its_interval() -> None:
    few = {"without": 1, "with": 3, "change": [2.0, 0.1, 4.0]}
    rows = {
        row.words: row for row in rows_of(values([-0.18, -0.24, -0.12], [-0.25, -0.3, 0.001], [-0.043, -0.08, 0.0]))
    }
    assert rows["Answers"][1:5] == ("1,306", "1,148", "−18%", "−24% to −12%")
    assert rows["about links and chains"][1:5] == ("0", "0", "–", "")
    assert rows["Hours of workers"][1:5] == ("4.41", "3.31", "−25%", "−30% to 0%")
    assert rows["Money"][1:3] == ("$42.46", "$31.81")
    assert "Chains left to an expert" not in rows
    right = ("90.0%", "85.7%", "−4.3 points", "−8.0 to 0.0", ("90 of 100", "84 of 98"))
    assert rows["Final boxes that are right"][1:6] == right
    given = values([-0.18, -0.24, -0.12], [-0.25, -0.3, -0.2], None, review=few) | {"paid": False}
    rows = {row.words: row for row in rows_of(given)}
    assert rows["Chains left to an expert"][1:5] == ("1", "3", "+2", "")
    assert rows["Chains exactly right"][3:5] == ("–", "") and "Money" not in rows
