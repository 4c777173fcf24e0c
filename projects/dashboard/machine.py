"""The six tasks as one machine, drawn: places of states and arrows, from the tables by which chains move.

States stand below one another, so that the drawing fits a phone. Arrows to a later state run on the right, arrows back
on the left; all arrows to and from review share a line on each side, as every state has one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from annotation.rules.states import ChainState
from pipeline.policies import box_policy
from pipeline.protocol.tasks.flow import REVIEW_TRANSITIONS, SETTLED, TABLES, TASK_OF_STATE, ReviewStep
from projects.dashboard.figures import FigureGroup

S = ChainState
ORDER = (S.LINKING, S.VERIFICATION, S.REQUIREMENT, S.DRAWING, S.QUALITY, S.COVERAGE, S.COMPLETE, S.NON_VISUAL, S.REVIEW)
WIDTH, LEFT, RIGHT, TOP, ROW, HEIGHT = 400, 132, 268, 8, 84, 52
"""Pixels: the drawing, the left and right edge of the states, the first state, from state to state, one state."""
LANE, BUS = 30, 16
"""Pixels between two lanes, and from the edge of the drawing to the line of review."""
PORTS = {"out": 34, "in": 14, "review": 44}
"""Pixels from the top of a state to where arrows leave it, come in, and go to or come from review."""


@dataclass(slots=True)
class State:
    """A state as it is drawn."""

    name: str
    task: str
    """The task that is asked in it, or ""."""
    label: str
    """The task in words, or why there is none."""
    y: int

    @property
    def middle(self) -> int:
        return (LEFT + RIGHT) // 2


@dataclass(slots=True)
class Arrow:
    """An arrow as it is drawn; verdicts with the same effect share one."""

    old: str
    new: str
    words: str
    """The verdicts, one after another."""
    path: str
    x: int
    """The place of the number."""
    y: int
    count: int = 0

    @property
    def short(self) -> str:
        return short_number(self.count)


@dataclass(frozen=True, slots=True)
class Machine:
    states: list[State]
    arrows: list[Arrow]
    height: int
    bus: list[str]
    """Lines that arrows to or from review share."""
    others: list[Arrow]
    """The ways of the belief policy that chains have gone and the paper's loop does not know: in the text alone."""


def machine(counts: Mapping[tuple[str, str], int]) -> Machine:
    """Return the drawing. `counts`: how often a chain went along each arrow."""
    words = _verdicts()
    states = [
        State(state.value, TASK_OF_STATE[state].value if state in TASK_OF_STATE else "", _label(state), _y(state))
        for state in ORDER
    ]
    lanes = _lanes(words)
    arrows = [_arrow(old, new, " / ".join(said), lanes) for (old, new), said in words.items()]
    for arrow in arrows:
        arrow.count = counts.get((arrow.old, arrow.new), 0)
    last, first = _y(S.REVIEW) + PORTS["in"], TOP + PORTS["review"]
    targets = [_y(new) + PORTS["review"] for old, new in words if old is S.REVIEW]
    bus = [f"M{WIDTH - BUS} {first}V{last}H{RIGHT}", f"M{LEFT} {last}H{BUS}V{min(targets)}"]
    return Machine(states, arrows, _y(S.REVIEW) + HEIGHT + TOP, bus, _others(words, counts))


def _others(drawn: Collection[tuple[ChainState, ChainState]], counts: Mapping[tuple[str, str], int]) -> list[Arrow]:
    return [
        Arrow(old, new, str(verdict), "", 0, 0, count)
        for (old, verdict), new in box_policy.TRANSITIONS.items()
        if (old, new) not in drawn and (count := counts.get((old, new), 0))
    ]


def short_number(number: int) -> str:
    """Return a count in at most five characters: 999, 9.9k, 99k, 1.2M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number // size}{unit}"
    return str(number)


def _verdicts() -> dict[tuple[ChainState, ChainState], list[str]]:
    found: dict[tuple[ChainState, ChainState], list[str]] = {}
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (old, verdict), new in table.items():
            said = found.setdefault((old, new), [])
            if verdict is not ReviewStep.NEEDED or not said:
                said.append(str(verdict))
    return found


def _label(state: ChainState) -> str:
    if state in TASK_OF_STATE:
        return TASK_OF_STATE[state].label
    return "settled" if state in SETTLED else "waits for an expert"


def _y(state: ChainState) -> int:
    return TOP + ORDER.index(state) * ROW


def _lanes(pairs: Iterable[tuple[ChainState, ChainState]]) -> dict[tuple[ChainState, ChainState], int]:
    """Give every arrow that is not straight the innermost lane on its side that is free along its way."""
    lanes: dict[tuple[ChainState, ChainState], int] = {}
    spans = [(_span(pair), pair) for pair in pairs if not _is_straight(*pair) and S.REVIEW not in pair]
    for (start, end), pair in sorted(spans, key=lambda one: (one[0][1] - one[0][0], one[0])):
        side = _is_back(*pair)
        taken = {
            lanes[other]
            for (first, last), other in spans
            if other in lanes and _is_back(*other) == side and start < last and first < end
        }
        lanes[pair] = next(lane for lane in range(len(spans)) if lane not in taken)
    return lanes


def _span(pair: tuple[ChainState, ChainState]) -> tuple[int, int]:
    first, last = sorted(map(ORDER.index, pair))
    return first, last


def _is_straight(old: ChainState, new: ChainState) -> bool:
    return ORDER.index(new) == ORDER.index(old) + 1 and new is not S.REVIEW


def _is_back(old: ChainState, new: ChainState) -> bool:
    return ORDER.index(new) < ORDER.index(old)


def _arrow(old: ChainState, new: ChainState, words: str, lanes: Mapping[tuple[ChainState, ChainState], int]) -> Arrow:
    from_y, to_y, middle = _y(old), _y(new), (LEFT + RIGHT) // 2
    if new is S.REVIEW:
        y = from_y + PORTS["review"]
        return Arrow(old, new, words, f"M{RIGHT} {y}H{WIDTH - BUS}", WIDTH - BUS - 14, y)
    if old is S.REVIEW:
        y = to_y + PORTS["review"]
        return Arrow(old, new, words, f"M{BUS} {y}H{LEFT - 2}", BUS + 14, y)
    if _is_straight(old, new):
        start = from_y + HEIGHT
        return Arrow(old, new, words, f"M{middle} {start}V{to_y - 2}", middle, (start + to_y) // 2)
    back = _is_back(old, new)
    edge = LEFT if back else RIGHT
    lane = lanes[old, new]
    x = edge - 20 - lane * LANE if back else edge + 20 + lane * LANE
    # An arrow back leaves at the upper port and comes in at the lower one: lines into a state do not cross there.
    leave = from_y + PORTS["in" if back else "out"] - 8
    enter = to_y + PORTS["out" if back else "in"] - 8
    end = edge - 2 if back else edge + 2
    return Arrow(old, new, words, f"M{edge} {leave}H{x}V{enter}H{end}", x, (leave + enter) // 2)


def rows(drawn: Machine) -> Iterator[tuple[State, list[Arrow]]]:
    """Yield each state with the arrows that leave it: the drawing as text."""
    for state in drawn.states:
        yield state, [arrow for arrow in (*drawn.arrows, *drawn.others) if arrow.old == state.name]


def arrows_of(figures: Mapping[str, FigureGroup]) -> dict[tuple[str, str], int]:
    """Return how often chains went from one state to another, of the figures of the dashboard."""
    moves = figures["flow"].values["arrows"] if "flow" in figures else []
    return {(old, new): number for old, new, number in moves}
