"""The numbers of the skill estimate, chosen on all label sets but one and scored on that one.

What is chosen are the pulls of SkillRules and how far they are learned. Each set shows how a choice does that was made
without its gold.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from reports.tables import table
from studies.skills.label_accuracy import better_of_plain, skill_accuracy
from studies.skills.label_set import LabelSet
from workers.rules.skill import SkillRules

CHOICES = tuple(
    SkillRules(row_pull=row, crowd_pull=crowd, learned=learned)
    for row, crowd, learned in product((2.0, 4.0, 8.0), (4.0, 16.0, 64.0), (0.0, 0.5, 1.0))
)


class LeftOut(NamedTuple):
    """One set, scored by what was chosen on the others. Margins are shares."""

    name: str
    chosen: SkillRules
    margin: float
    """The skill estimate's accuracy less the better of majority vote and plain Dawid-Skene; of made sets the mean."""
    items: float
    """The same in gold items."""


def leave_one_out(
    sets: Mapping[str, Sequence[LabelSet]],
    choices: Sequence[SkillRules] | None = None,
    done: Callable[[], object] = lambda: None,
) -> list[LeftOut]:
    """Score every set. `sets`: by name; made-up sets of one name are draws of different seeds. `done`: per choice."""
    choices = choices or CHOICES
    plain = {name: [better_of_plain(one) for one in drawn] for name, drawn in sets.items()}
    margins: dict[SkillRules, dict[str, float]] = {}
    for rules in choices:
        margins[rules] = {
            name: fmean(skill_accuracy(one, rules) - other for one, other in zip(drawn, plain[name], strict=True))
            for name, drawn in sets.items()
        }
        done()
    gold = {name: fmean(len(one.truth) for one in drawn) for name, drawn in sets.items()}
    return [
        LeftOut(name, chosen, margins[chosen][name], margins[chosen][name] * gold[name])
        for name in sets
        for chosen in [max(choices, key=lambda rules: _worth(margins[rules], gold, name))]
    ]


def _worth(margins: Mapping[str, float], gold: Mapping[str, float], left_out: str) -> tuple[float, float]:
    """Return the worst loss on all sets but one, with the sign changed, and the mean margin.

    A loss of at most one gold item is none.
    """
    seen = {name: margin for name, margin in margins.items() if name != left_out}
    losses = [min(0.0, margin) if -margin * gold[name] > 1.000001 else 0.0 for name, margin in seen.items()]
    return round(min(losses), 9), fmean(seen.values())


def leave_one_out_text(rows: Sequence[LeftOut]) -> str:
    """Format the table for a terminal."""
    header = ["set left out", "row pull", "crowd pull", "learned", "margin", "items"]
    cells = [
        [
            row.name,
            *(f"{value:g}" for value in (row.chosen.row_pull, row.chosen.crowd_pull, row.chosen.learned)),
            f"{100 * row.margin:+.2f}",
            f"{row.items:+.1f}",
        ]
        for row in rows
    ]
    worst = min(rows, key=lambda row: row.margin)
    note = f"Worst margin: {100 * worst.margin:+.2f} percentage points ({worst.name})."
    return table("Chosen on all other sets", header, cells) + "\n" + note + "\n"
