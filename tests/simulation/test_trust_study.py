"""The study of trust, in small sizes: that it runs, says it is simulated, and lets the rules decide."""

import json
from io import StringIO
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command

from pipeline.rules.task import Task
from simulation.trust_career import rules_for, run_batches, run_career
from simulation.trust_crowd import HONEST_QUALITY, MINIMUM, MIXES, Kind, Person, people
from simulation.trust_limits import odds_by_counting
from simulation.trust_mixes import Size
from simulation.trust_study import PARTS, as_text, run_part
from workers.rules.batch_verdict import BatchRules
from workers.rules.score import Rule
from workers.rules.work import Shortage

LINK = Task.COREFERENCE_LINK
SMALL = Size(people=4, work=40)


def person(kind: Kind, number: int = 0, fixed: float | None = None) -> Person:
    return Person(LINK, kind, number, 1, fixed)


@pytest.mark.parametrize("task", list(Task))
def test_honest_workers_have_the_quality_of_table_3_on_average(task: Task):
    mean = fmean(one.accuracy for one in people(task, Kind.HONEST, 2000, 1))
    assert mean == pytest.approx(HONEST_QUALITY[task], abs=0.006)


def test_one_button_is_right_on_just_half_of_a_balanced_stock():
    assert sum(person(Kind.ONE_BUTTON).is_right(question) for question in range(230)) == 115


def test_a_ring_gives_the_same_answers_and_another_ring_others():
    first, second, stranger = ([person(Kind.RING, n).is_right(q) for q in range(100)] for n in (0, 9, 10))
    assert first == second != stranger


def test_mixes_are_whole():
    assert [sum(mix.values()) for mix in MIXES.values()] == pytest.approx([1.0] * len(MIXES))


def test_who_is_always_right_does_all_the_work_and_sees_no_question_twice():
    career = run_career(person(Kind.HONEST, fixed=1.0), rules_for(person(Kind.HONEST)), work=500)
    assert (career.real >= 500, career.is_barred, career.voided) == (True, False, 0)
    assert len(set(career.seen)) == len(career.seen) > 30


def test_who_is_always_wrong_is_barred_after_two_probations_with_nothing_counted():
    career = run_career(person(Kind.RANDOM, fixed=0.0), rules_for(person(Kind.RANDOM)), work=500)
    assert (career.is_barred, career.real, len(career.seen)) == (True, 0, 60)


def test_a_stock_of_thirty_lets_the_good_work_and_the_others_wait_with_a_warning():
    good = run_career(person(Kind.HONEST, fixed=1.0), rules_for(person(Kind.HONEST)), work=100, stock=30)
    bad = run_career(person(Kind.RANDOM, fixed=0.0), rules_for(person(Kind.RANDOM)), work=100, stock=30)
    assert (good.waits, good.warned) == (False, {Shortage.USED_UP: 30})
    assert (bad.waits, bad.warned) == (True, {Shortage.PROBATION_WAITS: 30})


def test_in_the_verification_model_bad_batches_are_refused_and_good_ones_count():
    rules = BatchRules(minimum=MINIMUM[LINK], rule=Rule.BARE)
    good = run_batches(person(Kind.HONEST, fixed=1.0), rules, work=100)
    bad = run_batches(person(Kind.RANDOM, fixed=0.0), rules, work=100)
    assert (good.refused, bad.real) == (0, 0)
    assert good.real >= 100
    assert bad.refused == bad.assignments


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_counting_tells_nothing(rate: float):
    every = odds_by_counting(rate, places=150)
    assert (min(every), max(every)) == pytest.approx((rate, rate), rel=0.002)


@pytest.mark.parametrize("name", list(PARTS))
def test_every_part_has_a_row_for_each_case_and_fits_a_screen(name: str):
    done: list[int] = []
    rows = run_part(name, SMALL, lambda: done.append(1))
    assert len(rows) == len(done) == len(PARTS[name].cases(SMALL)) > 0
    assert all(set(rows[0]) <= set(row) for row in rows)
    assert max(map(len, as_text(rows).splitlines())) <= 150


def test_the_command_prints_that_it_is_simulated_and_writes_its_rows(tmp_path: Path):
    out, file = StringIO(), tmp_path / "study.json"
    call_command("trust_study", "--quick", "--only", "rates", "--json", str(file), stdout=out)
    assert "(simulated)" in out.getvalue()
    written = json.loads(file.read_text())
    assert (written["simulated"], [row["rate"] for row in written["rates"]]) == (True, [0.02, 0.02, 0.2, 0.2])


def test_a_file_that_cannot_be_written_is_said_before_anything_runs(tmp_path: Path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("trust_study", "--quick", "--json", str(tmp_path / "no" / "study.json"), stdout=StringIO())
