"""The study: watch a project through every view, as it is or with a planted leak."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from studies.question_leak import views
from studies.question_leak.ahead import after_short, ahead, follow
from studies.question_leak.evidence import Evidence
from studies.question_leak.plants import BY_NAME
from studies.question_leak.views import EARNED, PROJECT
from studies.question_leak.watch import OFFERS, PAGES, Shift, leave_out, redraw, watch
from studies.question_leak.world import World, rolled_back

Step = Callable[[int], object]
OF_SHIFTS: dict[str, Callable[[list[Shift]], Evidence]] = {
    "counters": views.counters,
    "order": views.order,
    "receipts": views.receipts,
    "pay": views.pay,
    "pages": views.pages,
}
PLACES = (OFFERS, *PAGES)
LOOKS_AT = {
    "counters": (OFFERS, PROJECT),
    "order": (),
    "receipts": (PROJECT,),
    "pay": (PROJECT, EARNED),
    "pages": PAGES,
}
"""The places that each view needs to be looked at during and after each assignment."""
BEFORE = {"counters": (OFFERS, PROJECT), "pay": (OFFERS,), "pages": (PROJECT,)}
"""The same before it."""
VIEWS = ("content", *OF_SHIFTS, "returns", "kept", "left out", "after short", "ahead")


@dataclass(frozen=True, slots=True)
class Effort:
    """The length of the watch, in assignments of each worker and task."""

    rounds: int
    returns: int
    left_out: int
    ahead: int
    short: int = 0

    def steps(self, views: Iterable[str], each: int) -> int:
        """Return about how many steps a run through the views has. `each`: workers times tasks."""
        names = set(views)
        rounds = self.rounds * bool(names & set(OF_SHIFTS)) + self.returns * bool(names & {"returns", "kept"})
        others = {"left out": self.left_out, "after short": self.short, "ahead": self.ahead}
        return (rounds + sum(count for name, count in others.items() if name in names)) * each


def look_through(
    world: World, names: Iterable[str] = VIEWS, *, plants: Sequence[str] = (), effort: Effort, step: Step = int
) -> dict[str, Evidence]:
    """Return the evidence of each view. The world is as before afterwards: all that was done is rolled back."""
    names = tuple(names)
    found: dict[str, Evidence] = {}
    with rolled_back(), ExitStack() as grown:
        for plant in plants:
            grown.enter_context(BY_NAME[plant](world))
        if "content" in names:
            found["content"] = views.content(world)
        wanted = [name for name in OF_SHIFTS if name in names]
        if wanted:
            places, before = (
                [place for place in PLACES if any(place in of.get(name, ()) for name in wanted)]
                for of in (LOOKS_AT, BEFORE)
            )
            with rolled_back():
                shifts = watch(world, effort.rounds, places, before, step=step)
                found |= {name: OF_SHIFTS[name](shifts) for name in wanted}
        if {"returns", "kept"} & set(names):
            with rolled_back():
                redrawn = redraw(world, effort.returns, step=step)
                found |= {"returns": views.returns(redrawn), "kept": views.kept(redrawn)}
        looks: dict[str, Callable[[], Evidence]] = {
            "left out": lambda: views.left_out(leave_out(world, effort.left_out, step=step)),
            "after short": lambda: after_short(world, effort.short, step=step),
            "ahead": lambda: ahead(follow(world, effort.ahead, step=step)),
        }
        for name in [name for name in looks if name in names]:
            with rolled_back():
                found[name] = looks[name]()
    return {name: found[name] for name in names}
