"""Trust study, parts d and e: good workers barred by chance, and effects of the verification rate and the stock."""

from functools import partial
from itertools import pairwise
from statistics import fmean, median

from pipeline.rules.settings.protocol import MINIMUM
from pipeline.rules.tasks.task import Task
from simulation.career import Career, run_career, settings_with
from simulation.trust_crowd import Person, WorkerKind, people
from studies.trust.crowd_mixes import Case, Row, Size, percent
from workers.rules.score import Rule
from workers.rules.trust_states import TrustEvent
from workers.rules.verification_rate import odds, places
from workers.rules.work import Shortage

FIRST = 300
ASKED = 10_000
ONE_OF_EACH_MINIMUM = (Task.BOX_DRAWING, Task.BOX_QUALITY, Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION)

# d. Good workers


def good_workers(size: Size) -> list[Case]:
    """Return the cases of workers five points above the minimum: under 2 % should be barred."""
    return [partial(_good_row, task, rule, size) for task in ONE_OF_EACH_MINIMUM for rule in reversed(Rule)]


def _good_row(task: Task, rule: Rule, size: Size) -> Row:
    accuracy, settings = MINIMUM[task] + 0.05, settings_with(below_minimum=rule.value)
    crowd = [Person(task, WorkerKind.HONEST, number, size.seed, accuracy) for number in range(10 * size.people)]
    mixed = [run_career(one, settings, work=FIRST) for one in crowd]
    known = [_answer_known_only(one, rule) for one in crowd]
    passed = [one for one in known if one.passed_test]
    return {
        "minimum": MINIMUM[task],
        "accuracy": round(accuracy, 2),
        "rule": rule.value,
        "fail the test three times %": percent(not one.passed_test for one in mixed),
        "fail first probation %": percent(TrustEvent.FAIL_PROBATION in one.events for one in passed),
        "barred in 300 questions %": percent(one.is_barred and one.answered <= FIRST for one in mixed),
        "barred in 300 known questions %": percent(one.is_barred and one.answered <= FIRST for one in known),
    }


def _answer_known_only(person: Person, rule: Rule) -> Career:
    """Run a career with known questions alone: the first 300, a probation that begins in them, one real assignment."""
    settings = settings_with(below_minimum=rule.value, trusted_rate=1.0)
    return run_career(person, settings, work=1, stock=FIRST + 60)


# e. Rates and stocks


def rates(size: Size) -> list[Case]:
    """Return the cases that measure the rate over 10,000 questions, and the odds given all earlier ones."""
    return [partial(_rate_row, rate, batch, size) for rate in (0.02, 0.2) for batch in (5, 10)]


def _rate_row(rate: float, batch: int, size: Size) -> Row:
    runs = [_drawn(f"{size.seed} {number}", rate, batch) for number in range(max(2, size.people // 10))]
    off = [abs(len(run) / (rate * ASKED) - 1) for run in runs]
    counting = odds_by_counting(rate, places=500)
    known = [odds(place, count, rate) for run in runs for count, place in enumerate(run)]
    return {
        "rate": rate,
        "batch": batch,
        "workers": len(runs),
        "mean count": round(fmean(len(run) for run in runs), 1),
        "worst error %": round(100 * max(off), 2),
        "odds by counting, lowest": round(min(counting), 5),
        "odds by counting, highest": round(max(counting), 5),
        "odds, knowing all earlier": round(fmean(known), 4),
        "highest odds": round(max(known), 4),
        "longest gap": max(after - before for run in runs for before, after in pairwise(run)),
    }


def odds_by_counting(rate: float, places: int) -> list[float]:
    """Return the exact odds of each place for a worker who knows only the place's number."""
    counts, found = {0: 1.0}, []
    for asked in range(places):
        chance = {count: weight * odds(asked, count, rate) for count, weight in counts.items()}
        found.append(sum(chance.values()))
        counts = {count: weight - chance[count] for count, weight in counts.items()}
        for count, weight in chance.items():
            counts[count + 1] = counts.get(count + 1, 0.0) + weight
    return found


def _drawn(seed: str, rate: float, batch: int) -> list[int]:
    """Return the places of the verification questions among 10,000."""
    drawn: list[int] = []
    for asked in range(0, ASKED, batch):
        found = places(seed, asked=asked, verified=len(drawn), size=batch, rate=rate)
        drawn += [asked + place for place in found]
    return drawn


def stocks(size: Size) -> list[Case]:
    """Return the cases of small stocks: who finishes, who waits, and after how many questions the warnings come."""
    return [
        partial(_stock_row, stock, kind, size)
        for stock in (20, 30, 60, 120, 230)
        for kind in (WorkerKind.HONEST, WorkerKind.CARELESS_75, WorkerKind.RANDOM)
    ]


def _stock_row(stock: int, kind: WorkerKind, size: Size) -> Row:
    crowd = people(Task.COREFERENCE_LINK, kind, size.people // 2, size.seed)
    runs = [run_career(one, settings_with(), work=3 * size.work, stock=stock) for one in crowd]
    row: Row = {
        "stock": stock,
        "kind": kind.value,
        "finished %": percent(not one.is_barred and not one.waits for one in runs),
        "barred %": percent(one.is_barred for one in runs),
        "wait for the requester %": percent(one.waits for one in runs),
        "told that it is closed %": percent(Shortage.CLOSED in one.warned for one in runs),
        "stuck without a warning": sum(one.waits and Shortage.PROBATION_WAITS not in one.warned for one in runs),
        "seen twice": sum(len(one.seen) - len(set(one.seen)) for one in runs),
    }
    for shortage in (Shortage.NO_SECOND_PROBATION, Shortage.USED_UP, Shortage.PROBATION_WAITS):
        times = [one.warned[shortage] for one in runs if shortage in one.warned]
        row[f"{shortage.name.lower().replace('_', ' ')}, after"] = round(median(times)) if times else "-"
    return row
