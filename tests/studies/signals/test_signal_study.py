"""The study of signals: planted workers are found, honest ones are not, and the simulated workers are as described."""

import io
import json
from pathlib import Path
from statistics import fmean, median

import pytest
from django.core.management import CommandError, call_command

from studies.signals.signal_study import FALSE_ALARMS, Row, as_json, signal_study, table
from studies.signals.simulated_project import CARELESS_LOGIT, World
from workers.rules.signals.interlock import interlock, spells
from workers.rules.signals.near_boxes import overlap

PLAIN = {
    ("far too fast", "0.1 of the usual seconds"),
    ("far too fast, over all tasks", "half a second each, over the box tasks"),
    ("one button", "always the rarer answer"),
    ("copied boxes", "own boxes again, 100 %"),
    ("copied boxes", "another's boxes, 100 %"),
    ("copied boxes", "the whole picture, 100 %"),
}


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return signal_study(1, judgments=(60,), honest=20)


def test_what_is_plain_is_found_and_nobody_honest_is_called_bad(rows: list[Row]):
    shown = {(row.signal, row.who): row.shown for row in rows}
    assert {key for key, count in shown.items() if count} >= PLAIN
    assert sum(row.shown for row in rows if row.who in FALSE_ALARMS) == 0
    assert all(row.cases >= row.shown for row in rows)


def test_everybody_is_counted_once(rows: list[Row]):
    cases = {(row.signal, row.who): row.cases for row in rows}
    honest, fast, buttons, pairs = 20, 3, 5, 2 * 12
    assert cases["far too fast", FALSE_ALARMS[0]] == honest + buttons + pairs
    assert cases["one button", FALSE_ALARMS[0]] == honest + fast + pairs
    assert cases["two accounts", FALSE_ALARMS[1]] == honest * (honest - 1) // 2
    everybody = honest + fast + buttons + pairs
    assert cases["two accounts", FALSE_ALARMS[0]] == everybody * (everybody - 1) // 2 - 12 - 1


def test_the_same_numbers_come_out_again(rows: list[Row]):
    again = signal_study(1, judgments=(60,), honest=20)
    assert again == rows


def test_a_table_has_a_line_for_each_kind_and_a_column_for_each_number_of_judgments():
    rows = [Row("fast", "quick", count, 3, 4, 0.3, 0.95) for count in (50, 100)]
    assert table(rows).splitlines() == [
        "| fast | 50 | 100 |",
        "| --- | --- | --- |",
        "| quick | 75 (30–95) | 75 (30–95) |",
    ]


# --- Simulated workers


def test_honest_workers_err_and_take_their_time_as_the_crowd_is_defined():
    world = World("honest")
    made = [world.answer_links(200) for _ in range(60)]
    known = [one for account in made for one in account.links if one.known]
    assert len(known) / 12000 == pytest.approx(0.2, abs=0.02)
    assert fmean(one.answer != one.known for one in known) == pytest.approx(0.05, abs=0.025)
    assert fmean(second for account in made for second in account.seconds) == pytest.approx(7.5, rel=0.1)
    assert all(len({one.question for one in account.links}) == 200 for account in made)


def test_careless_workers_err_on_about_a_fifth():
    world = World("careless")
    made = [world.answer_links(500, bias=CARELESS_LOGIT) for _ in range(20)]
    known = [one for account in made for one in account.links if one.known]
    assert fmean(one.answer != one.known for one in known) == pytest.approx(0.21, abs=0.06)


def test_nearly_all_the_same_is_a_world_of_its_own():
    made = World("same", same=0.97).answer_links(1000)
    assert fmean(one.answer == "same" for one in made.links) > 0.85


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_second_account_hands_in_the_answers_of_the_first(share: float):
    world = World("pair")
    first = world.answer_links(400, bias=CARELESS_LOGIT)
    second = world.second_account(first, share=share, bias=CARELESS_LOGIT, in_turn=False)
    theirs = {one.question: one.answer for one in first.links}
    equal = [theirs[one.question] == one.answer for one in second.links if one.question in theirs]
    assert len(equal) > 40
    assert all(equal) is (share == 1)


def test_accounts_used_in_turn_and_people_of_one_office_interlock_and_strangers_do_not():
    world = World("clocks")
    first, office, stranger = (world.answer_links(500) for _ in range(3))
    in_turn = world.second_account(first, share=0, bias=0, in_turn=True)
    assert interlock(spells(first.times), spells(stranger.times)).chance > 0.01
    found = interlock(spells(first.times), spells(in_turn.times))
    assert found.handovers > 10
    assert found.chance < 1e-9
    world.begin_together(first, office)
    found = interlock(spells(first.times), spells(office.times))
    assert found.joint > 10
    assert found.chance < 1e-9


def test_honest_boxes_of_one_thing_are_alike_and_hardly_ever_equal():
    world = World("boxes")
    first, second = world.draw(400), world.draw(400)
    theirs = dict(first.drawn)
    overlaps = [overlap(theirs[q].box, drawn.box) for q, drawn in second.drawn if q in theirs]
    assert 0.8 < median(overlaps) < 0.95
    assert fmean(one >= 0.98 for one in overlaps) < 0.03
    assert all(0 <= d.box[0] < d.box[2] <= d.size[0] and 0 <= d.box[1] < d.box[3] <= d.size[1] for _, d in first.drawn)


# --- The command


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("signal_study", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_prints_what_is_simulated_and_writes_the_rows(tmp_path: Path):
    file = tmp_path / "rows.json"
    printed = run("--projects", "1", "--judgments", "30", "--json", str(file))
    assert printed.startswith("Simulated: 1 projects")
    assert "| far too fast | 30 |" in printed
    rows = signal_study(1, judgments=(30,))
    assert json.loads(file.read_text()) == as_json(rows, 1)
    assert table(rows) in printed


@pytest.mark.parametrize("wrong", [["--projects", "0"], ["--judgments", "0"], ["--json", "/missing/folder/rows.json"]])
def test_what_cannot_be_done_is_told_before_anything_is_counted(wrong: list[str]):
    with pytest.raises(CommandError):
        run(*wrong)
