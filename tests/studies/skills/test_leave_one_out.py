"""The choice on all sets but one."""

import pytest

from studies.skills import leave_one_out as study
from studies.skills.label_set import LabelSet
from studies.skills.leave_one_out import leave_one_out, leave_one_out_text
from workers.rules.skill import SkillRules

BOLD, SAFE = SkillRules(row_pull=1.0), SkillRules(row_pull=2.0)
MARGINS = {BOLD: {"a": 0.2, "b": -0.2, "c": 0.1}, SAFE: {"a": 0.0, "b": 0.0, "c": 0.0}}


@pytest.fixture
def sets(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[LabelSet]]:
    monkeypatch.setattr(study, "skill_accuracy", lambda labels, rules: 0.5 + MARGINS[rules][labels.name])
    monkeypatch.setattr(study, "better_of_plain", lambda labels: 0.5)
    return {name: [LabelSet(name, [], {str(item): "x" for item in range(100)})] for name in "abc"}


def test_a_set_has_no_say_in_what_it_is_scored_by(sets: dict[str, list[LabelSet]]):
    rows = {row.name: row for row in leave_one_out(sets, [BOLD, SAFE])}
    # Where b is seen, its loss rules the bold choice out; b alone is scored by it.
    assert [rows[name].chosen for name in "abc"] == [SAFE, BOLD, SAFE]
    assert rows["b"].margin == pytest.approx(-0.2) and rows["b"].items == pytest.approx(-20)
    assert "Worst margin: -20.00 percentage points (b)." in leave_one_out_text(list(rows.values()))


def test_one_item_is_no_loss(sets: dict[str, list[LabelSet]], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(MARGINS[BOLD], "b", -0.01)
    assert {row.chosen for row in leave_one_out(sets, [BOLD, SAFE])} == {BOLD}
