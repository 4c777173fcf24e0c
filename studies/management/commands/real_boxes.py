"""python -m studies real_boxes PATH: policies of the box tasks on boxes that people drew on Mechanical Turk."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from tqdm import tqdm

from pipeline.settings.settings import Settings
from studies.command import StudyCommand, markdown
from studies.real_boxes import majority, read_real_images, replay, split

MAJORITIES = (1, 3, 5, 7)
HEADS = ("policy", "seconds", "FP + FN", "right", "said", "review", "IOU of 0.7", "right - said")


class Command(StudyCommand):
    help = "Replay answers of real people to the box tasks: the paper's loop, the belief policy, and majorities."
    least: ClassVar = {"seeds": 1, "images": 1}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder with answers.csv, boxes.csv and gold.csv")
        parser.add_argument("--sure", type=float, nargs="+", default=[0.9, 0.95], help="settings of belief (0.9 0.95)")
        parser.add_argument(
            "--redraw",
            type=float,
            nargs="*",
            default=[0.78],
            metavar="IOU",
            help="boxes that are likely looser are drawn once more (0.78)",
        )
        parser.add_argument("--seeds", type=int, default=2, metavar="N", help="orders of images and workers (2)")
        parser.add_argument("--images", type=int, default=10**6, help="the first images alone")

    def study(self, options: dict[str, Any]) -> Any:
        policies = {"paper's loop": Settings()}
        for sure in options["sure"]:
            policies |= _of_belief(sure, options["redraw"])
        images, seeds = read_real_images(options["path"])[: options["images"]], range(options["seeds"])
        asked = len(split(images, seed=0)[0])
        self.say(
            f"Replayed: {asked} images, {len(images) - asked} more are known questions; "
            f"real drawings, judgments that follow from them, {len(seeds)} seeds."
        )
        with tqdm(total=len(policies) * len(seeds) * asked, unit="image", disable=None) as bar:
            found = replay(images, policies, seeds, bar.update)
        found += [majority(images, size, seeds) for size in MAJORITIES]
        rows = [one.row() for one in found]
        self.say(markdown(HEADS, [[row["policy"], *map(_cell, list(row)[1:], list(row.values())[1:])] for row in rows]))
        return rows


def _of_belief(sure: float, redraw: Sequence[float]) -> dict[str, Settings]:
    """Return belief with boxes of one drawing, of all drawings, and with second drawings."""
    plain = Settings.from_json({"box_policy": "belief", "box_sure": sure})
    fused = replace(plain, fuse_boxes=True)
    again = {f"belief {sure:g}, redrawn below {below:g}": replace(fused, redraw_below=below) for below in redraw}
    return {f"belief {sure:g}": plain, f"belief {sure:g}, fused": fused} | again


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if name == "gap":
        return "{:+.1f} to {:+.1f}".format(*value)
    return f"{value:.1f}" if name == "seconds" else f"{value:.3f}" if name == "error" else f"{value:.1%}"
