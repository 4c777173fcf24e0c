"""python -m studies real_links PATH: strategies of links on whole coreference answers that people were paid for."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from tqdm import tqdm

from studies.command import StudyCommand, markdown
from studies.linking.real_links import KNOWN, baselines, read_passages, replay_adaptive, replay_paper

HEADS = ("policy", "cost", "exact", "of several", "B³", "CoNLL", "LEA")
SAID = tuple(f"{word}{of}" for of in ("", ", several", ", pairs") for word in ("said", "correct", "gap"))


class Command(StudyCommand):
    help = "Replay whole answers of real people to link questions: the paper's strategies, adaptive, and majorities."
    least: ClassVar = {"seeds": 1, "every": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder with sentences, mentions, answers and gold (.csv)")
        parser.add_argument(
            "--sure",
            type=float,
            nargs="*",
            default=[0.9, 0.95, 0.98, 0.99],
            help="chances at which adaptive asks no more about a pair (0.9 0.95 0.98 0.99)",
        )
        parser.add_argument("--seeds", type=int, default=1, metavar="N", help="orders of workers, and folds (1)")
        parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth passage alone (1)")

    def study(self, options: dict[str, Any]) -> Any:
        if not all(0.5 < sure < 1 for sure in options["sure"]):
            raise ValueError("--sure takes chances between 0.5 and 1.")
        passages, seeds = read_passages(options["path"])[:: options["every"]], range(options["seeds"])
        self.say(f"Replayed, no campaign: {len(passages)} passages, whole answers of real people, {len(seeds)} seeds.")
        self.say(f"Adaptive learned from other passages: all answers, and {KNOWN:,} known questions.")
        found = baselines(passages)
        with tqdm(total=3 * len(seeds) * len(passages), unit="passage", disable=None) as bar:
            found += replay_paper(passages, seeds, bar.update)
            found += replay_adaptive(passages, options["sure"], seeds, bar.update)
            found += replay_adaptive(passages, options["sure"], seeds, bar.update, sweeps=True)
        rows = [one.row() for one in found]
        self.say(markdown((*HEADS, *SAID), [[row["policy"], *map(_cell, list(row.values())[1:])] for row in rows]))
        return rows


def _cell(value: float | tuple[float, float] | None) -> str:
    if isinstance(value, tuple):
        return "{:+.1f} to {:+.1f}".format(*value)
    return "–" if value is None else f"{value:.3f}"
