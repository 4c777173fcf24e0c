"""Trust study, part b: real judgments that count and were guessed, when 30 % of all who start know nothing."""

from functools import partial

from pipeline.rules.known.stock_mix import BUTTON_TENTHS
from pipeline.rules.settings.protocol import MINIMUM
from pipeline.rules.tasks.task import Task
from simulation.trust_crowd import MIXES, RING, Mix, Person, WorkerKind
from studies.trust.career import Career, run_career, settings_with
from studies.trust.mixes import (
    DEFAULT,
    PROTOCOL,
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
"""The most that a stock lets one button be right."""
GOOD_MEMBER = 0.95


def leaks(size: Size) -> list[Case]:
    """By default and with the protocol's 30, for workers who want few, many and very many real questions; goal: 1 %."""
    each = [(task, setting, wanted) for task in Task for setting in (DEFAULT, PROTOCOL) for wanted in size.wanted]
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
    """What leaks where the stock is as one-sided as it may be; box drawing has a bound of its own, in every row."""
    if task is Task.BOX_DRAWING:
        return "-"
    crowd = {WorkerKind.HONEST: careers(task, WorkerKind.HONEST, size, setting)}
    crowd[WorkerKind.ONE_BUTTON] = careers(task, WorkerKind.ONE_BUTTON, size, setting, ONE_SIDED)
    return guessed(BUTTON, {kind: mean_real(some, wanted) for kind, some in crowd.items()})


def curve(size: Size) -> list[Case]:
    """What each change of settings reaches, and what it costs the honest."""
    return [partial(_curve_row, task, setting, size) for task in Task for setting in SETTINGS]


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
    """Rings of ten in which one or three are good and tell the others every answer; these guess what nobody told."""
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
    """What the good members answered, and whether it was right: they go first and do all the work they want."""
    notes: dict[int, bool] = {}
    for member in range(good):
        one = Person(Task.COREFERENCE_LINK, WorkerKind.HONEST, ring * RING + member, size.seed, GOOD_MEMBER)
        career = _run(one, tests, stock, size)
        notes |= {question: one.is_right(question) for question in (*career.tested, *career.seen)}
    return notes


def _run(person: Person, tests: int, stock: int, size: Size) -> Career:
    """Each meets the questions in another order."""
    return run_career(person, settings_with(), work=size.wanted[-1], stock=stock, tests=person.tests(tests))
