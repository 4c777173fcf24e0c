"""Trust study, parts b and c: judgments that count from workers who guess (30 % of all who start) or are careless."""

from functools import partial
from typing import Any

from pipeline.rules.known.stock_mix import BUTTON_TENTHS
from pipeline.rules.settings.protocol import MINIMUM
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.career import Career, run_career, settings_with
from simulation.trust_crowd import MIXES, RING, Mix, Person, WorkerKind, people
from studies.trust.crowd_mixes import (
    BARE,
    DEFAULT,
    EXACT,
    EXACTLY_30,
    SETTINGS,
    Case,
    Row,
    Size,
    careers,
    guessed,
    honest_columns,
    mean_real,
    percent,
)

GUESS_55: Mix = {WorkerKind.HONEST: 0.7, WorkerKind.GUESS_55: 0.3}
BUTTON: Mix = {WorkerKind.HONEST: 0.7, WorkerKind.ONE_BUTTON: 0.3}
ONE_SIDED = BUTTON_TENTHS / 10
"""The largest share of right answers that a stock leaves to a worker who always presses one button."""
GOOD_MEMBER = 0.95
"""The accuracy of the members of a ring who tell the others their answers."""
CARELESS: dict[str, dict[str, Any]] = {
    "interval, exactly 30": EXACT,
    "interval, 30 to 60 (default)": {},
    "interval, 60": {"probation": 60, "probation_most": 60},
    "interval, 30 to 120": {"probation_most": 120},
    "interval, 30 to 120, then 5 %": {"probation_most": 120, "trusted_rate": 0.05},
    "bare, 30": BARE,
    "bare, 60": {**BARE, "probation": 60, "probation_most": 60},
    "bare, 120": {**BARE, "probation": 120, "probation_most": 120},
}
"""The settings of part c."""
CARELESS_STOCK = 400
"""Verification questions: enough for 5 % of the work after two long probations."""


def leaks(size: Size) -> list[Case]:
    """Return the cases of the default and of a probation of exactly 30, for few, many and very many real questions."""
    each = [
        (task, setting, wanted)
        for task in PROTOCOL_TASKS
        for setting in (DEFAULT, EXACTLY_30)
        for wanted in size.wanted
    ]
    return [partial(_leak_row, *one, size) for one in each]


def _leak_row(task: Task, setting: str, wanted: int, size: Size) -> Row:
    kinds: list[WorkerKind] = [kind for kind in WorkerKind if kind is not WorkerKind.COPYING]
    crowd = {kind: careers(task, kind, size, setting) for kind in kinds}
    real = {kind: mean_real(crowd[kind], wanted) for kind in kinds}
    row: Row = {"task": task.label, "setting": setting, "wanted": wanted}
    row |= {f"{name} %": guessed(mix, real) for name, mix in MIXES.items() if len(mix) > 1}
    row["30 % who are 55 % right %"] = guessed(GUESS_55, real)
    row["30 % one button, right 60 % %"] = _by_button(task, size, setting, wanted)
    row["55 %: pass the test %"] = percent(one.passed_test for one in crowd[WorkerKind.GUESS_55])
    row["55 %: ever trusted %"] = percent(one.was_trusted for one in crowd[WorkerKind.GUESS_55])
    row["honest: pass the test %"] = percent(one.passed_test for one in crowd[WorkerKind.HONEST])
    return row


def _by_button(task: Task, size: Size, setting: str, wanted: int) -> float | str:
    """Return the leak with the most one-sided stock that is allowed; box drawing has its own bound, in every row."""
    if task is Task.BOX_DRAWING:
        return "-"
    crowd = {WorkerKind.HONEST: careers(task, WorkerKind.HONEST, size, setting)}
    crowd[WorkerKind.ONE_BUTTON] = careers(task, WorkerKind.ONE_BUTTON, size, setting, ONE_SIDED)
    return guessed(BUTTON, {kind: mean_real(some, wanted) for kind, some in crowd.items()})


def curve(size: Size) -> list[Case]:
    """Return the cases that show what each change of settings reaches, and what it costs honest workers."""
    return [partial(_curve_row, task, setting, size) for task in PROTOCOL_TASKS for setting in SETTINGS]


def _curve_row(task: Task, setting: str, size: Size) -> Row:
    kinds = (WorkerKind.HONEST, WorkerKind.RANDOM, WorkerKind.ONE_BUTTON, WorkerKind.RING, WorkerKind.GUESS_55)
    crowd = {kind: careers(task, kind, size, setting) for kind in kinds}
    few, usual, _ = size.wanted
    row: Row = {"task": task.label, "setting": setting}
    for name, mix in {"30 % guess": MIXES["30 % guess"], "55 % right": GUESS_55}.items():
        for wanted in size.wanted if mix is GUESS_55 else (few, usual):
            row[f"{name}, {wanted} wanted %"] = guessed(mix, {kind: mean_real(crowd[kind], wanted) for kind in kinds})
    row[f"one button, right 60 %, {usual} wanted %"] = _by_button(task, size, setting, usual)
    return row | honest_columns(crowd[WorkerKind.HONEST], MINIMUM[task])


def copying(size: Size) -> list[Case]:
    """Return the cases of rings of ten in which one or three good members tell the others every answer."""
    return [
        partial(_copy_row, good, tests, stock, size)
        for good in (1, 3)
        for tests, stock in ((30, 60), (30, 230), (100, 230), (100, 1000), (300, 1000))
    ]


def _copy_row(good: int, tests: int, stock: int, size: Size) -> Row:
    crowd: list[Career] = []
    for ring in range(size.people // 2):
        notes = _notes(ring, good, tests, stock, size)
        members = range(ring * RING, (ring + 1) * RING - good)
        crowd += [
            _run(Person(Task.COREFERENCE_LINK, WorkerKind.COPYING, number, size.seed, notes=notes), tests, stock, size)
            for number in members
        ]
    honest = careers(Task.COREFERENCE_LINK, WorkerKind.HONEST, size, DEFAULT)
    row: Row = {"good members": good, "test questions": tests, "stock": stock}
    row["pass the test %"] = percent(one.passed_test for one in crowd)
    row["ever trusted %"] = percent(one.was_trusted for one in crowd)
    mix: Mix = {WorkerKind.HONEST: 0.7, WorkerKind.COPYING: 0.3}
    for wanted in size.wanted:
        real = {WorkerKind.HONEST: mean_real(honest, wanted), WorkerKind.COPYING: mean_real(crowd, wanted)}
        row[f"guessed, {wanted} wanted %"] = guessed(mix, real)
    return row


def _notes(ring: int, good: int, tests: int, stock: int, size: Size) -> dict[int, bool]:
    """Return which answers of the good members were right. They work first, as long as they want."""
    notes: dict[int, bool] = {}
    for member in range(good):
        one = Person(Task.COREFERENCE_LINK, WorkerKind.HONEST, ring * RING + member, size.seed, GOOD_MEMBER)
        career = _run(one, tests, stock, size)
        notes |= {question: one.is_right(question) for question in (*career.tested, *career.seen)}
    return notes


def _run(person: Person, tests: int, stock: int, size: Size) -> Career:
    """Run a member of a ring; each meets the questions in another order."""
    return run_career(person, settings_with(), work=size.wanted[-1], stock=stock, tests=person.tests(tests))


def careless_curve(size: Size) -> list[Case]:
    """Return a case for every minimum and setting; the default minimum is 80 %."""
    return [partial(_careless_row, minimum, name, size) for minimum in (0.75, 0.80, 0.85) for name in CARELESS]


def _careless_row(minimum: float, name: str, size: Size) -> Row:
    """Compare the judgments leaked by careless workers with the honest workers barred, for coreference links."""
    settings = settings_with(minimum=minimum, **CARELESS[name])

    def run(kind: WorkerKind) -> list[Career]:
        crowd = people(Task.COREFERENCE_LINK, kind, 2 * size.people, size.seed)
        return [run_career(one, settings, work=size.work, stock=CARELESS_STOCK) for one in crowd]

    row: Row = {
        "minimum": minimum,
        "setting": name,
        "leaked by 75 %": round(mean_real(run(WorkerKind.CARELESS_75), size.work)),
        "leaked by 65 %": round(mean_real(run(WorkerKind.CARELESS_65), size.work)),
    }
    return row | honest_columns(run(WorkerKind.HONEST), MINIMUM[Task.COREFERENCE_LINK])
