"""python -m studies model_turns: how soon a project finds out that a model annotator has begun to guess."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from tqdm import tqdm

from studies.boxes.turns import Turn, turns
from studies.boxes.world import WORLDS
from studies.command import StudyCommand


class Command(StudyCommand):
    help = "Let a simulated model annotator guess from some chain on, and count the chains until that is found."
    least: ClassVar = {"seeds": 1, "turn": 1, "within": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--seeds", type=int, default=50, metavar="N", help="runs (50)")
        parser.add_argument("--seed", type=int, default=0, help="the first seed (0)")
        parser.add_argument(
            "--turn", type=int, default=300, metavar="N", help="the model annotator guesses from this chain on (300)"
        )
        parser.add_argument("--within", type=int, default=100, metavar="N", help="chains that are played then (100)")
        parser.add_argument("--proposer", type=float, metavar="SHARE", help="a program whose boxes are good this often")
        parser.add_argument("--world", choices=list(WORLDS), default="first", help=f"one of {[*WORLDS]}")

    def study(self, options: dict[str, Any]) -> Any:
        seeds = range(options["seed"], options["seed"] + options["seeds"])
        turn, within = options["turn"], options["within"]
        self.say(
            f"Simulated: a model annotator that is wrong in 8 % of its answers, and in 50 % from chain {turn + 1} on."
        )
        with tqdm(total=len(seeds) * (turn + within), unit="chain", disable=None) as bar:
            found = list(
                turns(options["world"], seeds, proposer=options["proposer"], turn=turn, within=within, done=bar.update)
            )
        self.say(said_of(found, within))
        return [asdict(one) for one in found]


def said_of(found: Sequence[Turn], within: int) -> str:
    """Return the outcome of the runs in words."""
    lags = sorted(one.found for one in found if one.found is not None)
    middle = f", half of these within {lags[len(lags) // 2]}" if lags else ""
    wrongly = sum(one.wrongly for one in found)
    return (
        f"Found within {within} chains in {len(lags)} of {len(found)} runs{middle}; "
        f"taken for bad before the turn in {wrongly} of {sum(one.refits for one in found)} refits."
    )
