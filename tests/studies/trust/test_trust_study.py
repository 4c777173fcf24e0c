"""The study of trust, in small sizes: it runs, names its figures simulated, and lets the rules decide."""

import json
from io import StringIO
from pathlib import Path
from statistics import fmean

import pytest
from django.core.management import CommandError, call_command

from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.career import run_career, settings_with, take_tests
from simulation.trust_crowd import HONEST_QUALITY, MIXES, Person, WorkerKind, people
from studies.trust.batches import run_batches
from studies.trust.crowd_mixes import DEFAULT as BY_DEFAULT
from studies.trust.crowd_mixes import EXACT, EXACTLY_30, SETTINGS, Size, guessed, settings_named
from studies.trust.leaks import BUTTON
from studies.trust.limits import odds_by_counting
from studies.trust.trust_study import PARTS, as_text, run_part
from workers.rules.trust import TrustModel, TrustRules
from workers.rules.trust_states import TrustEvent, TrustState
from workers.rules.work import Shortage

LINK = Task.COREFERENCE_LINK
DEFAULT = settings_with()
WITHOUT_TEST = settings_with(test_questions=0)
SMALL = Size(people=2, work=20)


def person(kind: WorkerKind, number: int = 0, fixed: float | None = None) -> Person:
    return Person(LINK, kind, number, 1, fixed)


@pytest.mark.parametrize("task", list(PROTOCOL_TASKS))
def test_honest_workers_have_the_quality_of_table_3_on_average(task: Task):
    mean = fmean(one.accuracy for one in people(task, WorkerKind.HONEST, 2000, 1))
    assert mean == pytest.approx(HONEST_QUALITY[task], abs=0.006)


def test_one_button_is_right_on_just_half_of_a_balanced_stock():
    assert sum(person(WorkerKind.ONE_BUTTON).is_right(question) for question in range(230)) == 115


def test_a_ring_gives_the_same_answers_and_another_ring_others():
    first, second, stranger = ([person(WorkerKind.RING, n).is_right(q) for q in range(100)] for n in (0, 9, 10))
    assert first == second != stranger


def test_who_copies_is_right_where_the_others_were_and_guesses_the_rest():
    copying = Person(LINK, WorkerKind.COPYING, 0, 1, notes={7: True, 8: False})
    assert (copying.is_right(7), copying.is_right(8)) == (True, False)
    assert 60 < sum(copying.is_right(question) for question in range(100, 300)) < 140


def test_in_box_drawing_the_one_button_is_right_on_three_of_ten():
    drawing = Person(Task.BOX_DRAWING, WorkerKind.ONE_BUTTON, 0, 1)
    assert sum(drawing.is_right(question) for question in drawing.stock(30)) == 9


def test_mixes_are_whole():
    assert [sum(mix.values()) for mix in MIXES.values()] == pytest.approx([1.0] * len(MIXES))


def test_the_test_is_tried_three_times_a_day_apart_with_fresh_questions_and_then_bars():
    career = take_tests(person(WorkerKind.RANDOM, fixed=0.0), DEFAULT)
    assert (career.is_barred, len(set(career.tested)), career.trust.tests_failed) == (True, 30, 3)
    assert (career.now - take_tests(person(WorkerKind.HONEST, fixed=1.0), DEFAULT).now).days == 2


def test_without_test_questions_everybody_starts_in_probation():
    career = take_tests(person(WorkerKind.RANDOM), WITHOUT_TEST)
    assert (career.trust.state, career.tested) == (TrustState.PROBATION, [])


def test_who_is_always_right_does_all_the_work_and_sees_no_question_twice():
    career = run_career(person(WorkerKind.HONEST, fixed=1.0), DEFAULT, work=500)
    assert (career.real >= 500, career.is_barred, career.voided) == (True, False, 0)
    assert len(career.tested) == 10
    assert len(set(career.seen)) == len(career.seen) > 30


def test_who_is_always_wrong_is_barred_after_two_probations_with_nothing_counted():
    career = run_career(person(WorkerKind.RANDOM, fixed=0.0), WITHOUT_TEST, work=500)
    assert (career.is_barred, career.real, len(career.seen)) == (True, 0, 60)


def test_a_stock_of_thirty_lets_the_good_work_and_the_others_wait_with_a_warning():
    good = run_career(person(WorkerKind.HONEST, fixed=1.0), DEFAULT, work=100, stock=30)
    bad = run_career(person(WorkerKind.RANDOM, fixed=0.0), WITHOUT_TEST, work=100, stock=30)
    assert (good.waits, good.warned) == (False, {Shortage.USED_UP: 30})
    assert (bad.waits, bad.warned) == (True, {Shortage.PROBATION_WAITS: 30})


def in_between(stock: int) -> Person:
    """Make a worker who is right on three of four known questions in turn: close to the minimum of 80 %."""
    order = person(WorkerKind.COPYING).stock(stock)
    return Person(
        LINK, WorkerKind.COPYING, 0, 1, notes={question: turn % 4 != 3 for turn, question in enumerate(order)}
    )


def test_a_worker_a_little_below_the_minimum_fails_after_thirty_in_the_protocol_and_after_sixty_by_default():
    exact = settings_with(test_questions=0, **EXACT)
    at_thirty = run_career(in_between(30), exact, work=10, stock=30)
    at_sixty = run_career(in_between(60), WITHOUT_TEST, work=10, stock=60)
    for career, asked in ((at_thirty, 30), (at_sixty, 60)):
        assert TrustEvent.FAIL_PROBATION in career.events
        assert (career.was_trusted, career.waits, len(career.seen)) == (False, True, asked)


def test_a_probation_that_uses_up_the_stock_is_decided_by_the_score_itself():
    career = run_career(in_between(30), WITHOUT_TEST, work=10, stock=30)
    assert TrustEvent.FAIL_PROBATION in career.events
    assert (career.waits, career.warned) == (True, {Shortage.PROBATION_WAITS: 30})


def test_the_settings_of_the_study_are_what_their_names_say():
    default, exactly = settings_named(BY_DEFAULT), settings_named(EXACTLY_30)
    assert (default.probation, default.probation_most) == (30, 60)
    assert (exactly.probation, exactly.probation_most) == (TrustRules().probation, TrustRules().probation_most)
    named = {name: settings_named(name).probation_most for name in SETTINGS if name.startswith("probation 30 to")}
    assert named == {f"probation 30 to {most}": most for most in (45, 120)}


def test_leaks_are_shown_by_default_and_after_exactly_thirty():
    rows = [case() for case in PARTS["leaks"].cases(SMALL)]
    assert [row["setting"] for row in rows] == ([BY_DEFAULT] * 3 + [EXACTLY_30] * 3) * len(PROTOCOL_TASKS)


def test_a_stock_below_thirty_is_told_to_be_closed_before_anybody_waits():
    career = run_career(person(WorkerKind.HONEST, fixed=1.0), DEFAULT, work=100, stock=29)
    assert (career.waits, list(career.warned)) == (True, [Shortage.CLOSED, Shortage.PROBATION_WAITS])


def test_in_the_verification_model_bad_batches_are_refused_and_good_ones_count():
    settings = settings_with(trust=dict.fromkeys(PROTOCOL_TASKS, TrustModel.VERIFICATION.value), test_questions=0)
    good = run_batches(person(WorkerKind.HONEST, fixed=1.0), settings, work=100)
    bad = run_batches(person(WorkerKind.RANDOM, fixed=0.0), settings, work=100)
    assert (good.refused, bad.real) == (0, 0)
    assert good.real >= 100
    assert bad.refused == bad.assignments


def test_the_share_guessed_is_that_of_the_judgments_not_of_the_workers():
    assert guessed(BUTTON, {WorkerKind.HONEST: 300.0, WorkerKind.ONE_BUTTON: 7.0}) == pytest.approx(0.99, abs=0.005)


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_counting_tells_nothing(rate: float):
    every = odds_by_counting(rate, places=150)
    assert (min(every), max(every)) == pytest.approx((rate, rate), rel=0.002)


@pytest.mark.parametrize("name", list(PARTS))
def test_every_part_has_rows_of_one_shape_that_fit_a_screen(name: str):
    rows = [case() for case in PARTS[name].cases(SMALL)[:2]]
    assert set(rows[0]) == set(rows[1])
    assert max(map(len, as_text(rows).splitlines())) <= 170


def test_a_part_says_after_each_row_that_it_is_done():
    done: list[int] = []
    rows = run_part("stocks", SMALL, lambda: done.append(1))
    assert len(rows) == len(done) == len(PARTS["stocks"].cases(SMALL))


def test_the_command_prints_that_it_is_simulated_and_writes_its_rows(tmp_path: Path):
    out, file = StringIO(), tmp_path / "study.json"
    call_command("trust_study", "--quick", "--only", "rates", "--json", str(file), stdout=out)
    assert "(simulated)" in out.getvalue()
    written = json.loads(file.read_text())
    assert (written["simulated"], [row["rate"] for row in written["rates"]]) == (True, [0.02, 0.02, 0.2, 0.2])


def test_a_file_that_cannot_be_written_is_said_before_anything_runs(tmp_path: Path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("trust_study", "--quick", "--json", str(tmp_path / "no" / "study.json"), stdout=StringIO())
