"""The rates at which the signals of bad work find bad workers and accuse honest ones. All are simulated.

Every project has honest workers, and one worker or one pair of each bad kind. A signal counts as shown if `confirmed`
keeps it.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from studies.signals.simulated_project import CARELESS_LOGIT, Account, World
from workers.rules.share import wilson_interval
from workers.rules.signals.copied_boxes import copied_boxes, copies, usual_copies
from workers.rules.signals.far_too_fast import FLOORS, Timed, far_too_fast, far_too_fast_in_all, pace
from workers.rules.signals.interlock import spells
from workers.rules.signals.near_boxes import Drawn
from workers.rules.signals.one_button import Explained, one_button
from workers.rules.signals.shared_boxes import shared_boxes
from workers.rules.signals.shared_errors import shared_errors
from workers.rules.signals.signal import Signal, confirmed
from workers.rules.signals.two_accounts import NOTHING, two_accounts

HONEST = 60
JUDGMENTS = (50, 100, 200, 500)
OTHERS = "anyone else in these projects (false alarm)"
HONEST_ONLY = "anyone, among honest workers only (false alarm)"
NOBODY = "any false alarm in a project of honest workers only"
IN_ALL, HASTY = "far too fast, over all tasks", "half a second each, over the box tasks"
FALSE_ALARMS = (OTHERS, HONEST_ONLY, NOBODY)

Workers = tuple[int, ...]
Planted = dict[Workers, str]
"""The description of each planted worker or pair."""


@dataclass(frozen=True, slots=True)
class Row:
    """The rate at which a signal was shown. `low` and `high` are Wilson's 95 % interval, shares from 0 to 1."""

    signal: str
    who: str
    judgments: int
    shown: int
    cases: int
    low: float
    high: float


def signal_study(
    projects: int,
    *,
    judgments: Sequence[int] = JUDGMENTS,
    honest: int = HONEST,
    step: Callable[[], object] = lambda: None,
) -> list[Row]:
    """Study `projects` projects for each number of judgments per worker. `step` is called after each project."""
    rows: list[Row] = []
    for count in judgments:
        shown: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for seed in range(projects):
            for search in _project(seed, count, honest):
                _tally(shown, search)
            step()
        rows += [_row(name, who, count, tally) for (name, who), tally in shown.items()]
    return sorted(rows, key=lambda row: (row.signal, row.who in FALSE_ALARMS))


class Search(NamedTuple):
    """One detector run over the workers of a project."""

    signal: str
    found: list[Signal]
    planted: Planted
    """The bad workers or pairs; empty in a project of honest workers only."""
    others: int
    """The number of workers or pairs that are not planted."""


def _project(seed: int, count: int, honest: int) -> Iterable[Search]:
    yield from _links(World(f"{seed} links {count}"), count, honest)
    yield from _boxes(World(f"{seed} boxes {count}"), count, honest)
    yield from _nearly_all_the_same(World(f"{seed} same {count}", same=0.97), count, honest)
    yield from _all_tasks(World(f"{seed} tasks {count}"), count, honest)


def _tally(shown: dict[tuple[str, str], Counter[str]], search: Search) -> None:
    workers = Counter(signal.workers for signal in search.found)
    for bad, who in search.planted.items():
        shown[search.signal, who].update(shown=workers[bad], cases=1)
    false = sum(count for bad, count in workers.items() if bad not in search.planted)
    if search.planted:
        shown[search.signal, OTHERS].update(shown=false, cases=search.others)
    else:
        shown[search.signal, HONEST_ONLY].update(shown=false, cases=search.others)
        shown[search.signal, NOBODY].update(shown=int(false > 0), cases=1)


# --- Planted workers

OFFICE = "an honest pair of one office, beginning together (false alarm)"


def _links(world: World, count: int, honest: int) -> Iterable[Search]:
    crowd = [world.answer_links(count) for _ in range(honest)]
    world.begin_together(*crowd[:2])
    fast = {f"{part:g} of the usual seconds": world.answer_links(count, pace=part) for part in (0.1, 0.2, 0.3)}
    buttons = _button_pressers(world, count)
    pairs = _account_pairs(world, count)
    accounts = [*crowd, *fast.values(), *buttons.values(), *(one for pair in pairs.values() for one in pair)]
    yield Search("far too fast", _too_fast(crowd), {}, honest)
    yield Search("one button", _one_buttons(crowd), {}, honest)
    yield Search("two accounts", _two_accounts(crowd), {}, math.comb(honest, 2))
    yield Search("far too fast", _too_fast(accounts), _by_worker(fast), len(accounts) - len(fast))
    yield Search("one button", _one_buttons(accounts), _by_worker(buttons), len(accounts) - len(buttons))
    planted: Planted = {(a.worker, b.worker): who for who, (a, b) in pairs.items()}
    planted[crowd[0].worker, crowd[1].worker] = OFFICE
    yield Search("two accounts", _two_accounts(accounts), planted, math.comb(len(accounts), 2) - len(planted))


def _button_pressers(world: World, count: int) -> dict[str, Account]:
    made = {}
    for who, word, share, since in (
        ("always the commoner answer", "different", 1.0, 0.0),
        ("always the rarer answer", "same", 1.0, 0.0),
        ("the commoner answer, in 90 %", "different", 0.9, 0.0),
        ("the commoner answer, in the last 40 %", "different", 1.0, 0.6),
        ("the rarer answer, in the last 40 %", "same", 1.0, 0.6),
    ):
        made[who] = world.answer_links(count)
        world.press_one_button(made[who], word=word, share=share, since=since)
    return made


def _account_pairs(world: World, count: int) -> dict[str, tuple[Account, Account]]:
    pairs = {}
    for manner, bias in (("careless", CARELESS_LOGIT), ("skilled", 0.0)):
        for in_turn in (False, True):
            for share in (0.3, 0.6, 1.0):
                first = world.answer_links(count, bias=bias)
                second = world.second_account(first, share=share, bias=bias, in_turn=in_turn)
                pairs[f"{manner}, {100 * share:.0f} % of the answers shared{', in turn' if in_turn else ''}"] = (
                    first,
                    second,
                )
    return pairs


def _boxes(world: World, count: int, honest: int) -> Iterable[Search]:
    crowd = [world.draw(count) for _ in range(honest)]
    copiers: dict[str, Account] = {}
    for share in (0.2, 0.5, 1.0):
        own, others, whole = (world.draw(count) for _ in range(3))
        world.copy_own(own, share)
        world.copy_from(others, crowd[0], share)
        world.copy_whole(whole, share)
        copiers |= {
            f"own boxes again, {100 * share:.0f} %": own,
            f"another's boxes, {100 * share:.0f} %": others,
            f"the whole picture, {100 * share:.0f} %": whole,
        }
    pairs = {}
    for share in (0.3, 0.6, 1.0):
        first, second = world.draw(count), world.draw(count)
        world.copy_same_questions(second, first, share)
        pairs[f"{100 * share:.0f} % of the boxes shared"] = first, second
    accounts = [*crowd, *copiers.values(), *(one for pair in pairs.values() for one in pair)]
    strangers = math.comb(len(accounts), 2) - len(pairs)
    yield Search("copied boxes", _copied(crowd), {}, honest)
    yield Search("two accounts, by boxes", _pairs_by_boxes(crowd), {}, math.comb(honest, 2))
    yield Search("copied boxes", _copied(accounts), _by_worker(copiers), len(accounts) - len(copiers))
    planted: Planted = {(a.worker, b.worker): who for who, (a, b) in pairs.items()}
    yield Search("two accounts, by boxes", _pairs_by_boxes(accounts), planted, strangers)


def _nearly_all_the_same(world: World, count: int, honest: int) -> Iterable[Search]:
    crowd = [world.answer_links(count) for _ in range(honest)]
    name = "one button, where 97 % are “same”"
    yield Search(name, _one_buttons(crowd), {}, honest)
    buttons = {f"always “{word}”": world.answer_links(count) for word in ("same", "different")}
    for word, made in zip(("same", "different"), buttons.values(), strict=True):
        world.press_one_button(made, word=word)
    yield Search(name, _one_buttons([*crowd, *buttons.values()]), _by_worker(buttons), honest)
    yield Search("two accounts, where 97 % are “same”", _two_accounts(crowd), {}, math.comb(honest, 2))


def _all_tasks(world: World, count: int, honest: int) -> Iterable[Search]:
    crowd = [world.answer_tasks(count) for _ in range(honest)]
    hasty = world.answer_tasks(count, hasty=True)
    yield Search(IN_ALL, _too_fast_in_all(crowd), {}, honest)
    yield Search(IN_ALL, _too_fast_in_all([*crowd, hasty]), {(honest,): HASTY}, honest)


# --- Detectors


def _too_fast(accounts: list[Account]) -> list[Signal]:
    timed = {
        one.worker: [Timed(link.id, seconds) for link, seconds in zip(one.links, one.seconds, strict=True)]
        for one in accounts
    }
    usual, floor = pace(timed), FLOORS["coreference_link"]
    found = [far_too_fast(worker, times, usual, floor=floor) for worker, times in timed.items()]
    return confirmed(found, tests=len(accounts))


def _too_fast_in_all(crowd: Sequence[dict[str, list[float]]]) -> list[Signal]:
    found = []
    for worker, seconds in enumerate(crowd):
        ids = iter(range(sum(map(len, seconds.values()))))
        timed = {task: [Timed(next(ids), one) for one in times] for task, times in seconds.items()}
        found.append(far_too_fast_in_all(worker, timed))
    return confirmed(found, tests=len(crowd))


def _one_buttons(accounts: list[Account]) -> list[Signal]:
    explained = Explained(link for one in accounts for link in one.links)
    return confirmed((one_button(one.worker, explained) for one in accounts), tests=len(accounts))


def _two_accounts(accounts: list[Account]) -> list[Signal]:
    errors = shared_errors(link for one in accounts for link in one.links)
    worked = {one.worker: spells(one.times) for one in accounts}
    found = [two_accounts(pair, errors=shared, spells=worked) for pair, shared in errors.items()]
    return confirmed(found, tests=math.comb(len(accounts), 2))


def _copied(accounts: list[Account]) -> list[Signal]:
    copied = copies(drawn for one in accounts for _, drawn in one.drawn)
    ids = {one.worker: [drawn.id for _, drawn in one.drawn] for one in accounts}
    usual = usual_copies(ids, copied)
    return confirmed((copied_boxes(worker, mine, copied, usual) for worker, mine in ids.items()), tests=len(accounts))


def _pairs_by_boxes(accounts: list[Account]) -> list[Signal]:
    drawn: dict[int, list[Drawn]] = defaultdict(list)
    for one in accounts:
        for question, box in one.drawn:
            drawn[question].append(box)
    found = [two_accounts(pair, NOTHING, shared) for pair, shared in shared_boxes(drawn).items()]
    return confirmed(found, tests=math.comb(len(accounts), 2))


# --- Rows


def _by_worker(accounts: dict[str, Account]) -> Planted:
    return {(one.worker,): who for who, one in accounts.items()}


def _row(name: str, who: str, judgments: int, tally: Counter[str]) -> Row:
    low, high = wilson_interval(tally["shown"], tally["cases"])
    return Row(name, who, judgments, tally["shown"], tally["cases"], round(low, 6), round(high, 6))


def table(rows: Sequence[Row]) -> str:
    """Format the rows as Markdown: percent shown, with the interval, by judgments per worker."""
    counts = sorted({row.judgments for row in rows})
    cells = {(row.signal, row.who, row.judgments): row for row in rows}
    lines = []
    for signal in dict.fromkeys(row.signal for row in rows):
        lines += [f"| {signal} | {' | '.join(map(str, counts))} |", "| --- |" + " --- |" * len(counts)]
        for who in dict.fromkeys(row.who for row in rows if row.signal == signal):
            lines.append(f"| {who} | {' | '.join(_cell(cells[signal, who, count]) for count in counts)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(row: Row) -> str:
    share = row.shown / row.cases
    digits = 0 if row.cases < 1000 else 2 if row.cases < 10000 else 3
    shown, low, high = (f"{100 * one:.{digits}f}" for one in (share, row.low, row.high))
    return f"{shown} ({low}–{high})"


def as_json(rows: Sequence[Row], projects: int, honest: int = HONEST) -> dict[str, object]:
    """Return the rows for a file."""
    return {"simulated": True, "projects": projects, "honest": honest, "rows": [asdict(row) for row in rows]}
