"""python -m studies planted PATH: how many planted errors of a data set a check finds, and for how many answers."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from simulation.spoiled_image import WRONG, PlantedKind, Wronged, plant
from studies.command import StudyCommand, read_images, settings_in
from studies.planted import Checked, check, estimates, from_nothing, made_gold, settings_of, taught_by, with_vectors
from studies.whole_campaign.campaign_cost import campaign_images
from studies.whole_campaign.programs import Programs


class Command(StudyCommand):
    help = "Plant errors in real annotations, let simulated workers check them, and count what is found."
    least = {"images": 1, "seeds": 1, "first": 0}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")
        parser.add_argument("--images", type=int, default=500, help="the first images of it (500)")
        parser.add_argument("--seeds", type=int, default=1, help="the number of seeds of errors and crowd (1)")
        parser.add_argument("--first", type=int, default=0, help="the first of the seeds (0)")
        parser.add_argument(
            "--annotator", type=float, metavar="SHARE", help="a program whose judgments are wrong so often"
        )
        parser.add_argument("--proposer", type=float, metavar="SHARE", help="a program whose boxes are good so often")
        parser.add_argument("--wrong", type=float, default=WRONG, metavar="SHARE", help=f"of the chains ({WRONG:g})")
        parser.add_argument("--set", default="{}", metavar="JSON", help="such as '{\"link_stop\": 0.15}'")
        parser.add_argument("--check-only", action="store_true", help="do not annotate the images from nothing, too")

    def study(self, options: dict[str, Any]) -> Any:
        programs, values = _programs(options), settings_in("--set", options["set"], '{"link_stop": 0.15}')
        bed = campaign_images(read_images(options["path"]))[: options["images"]]
        if not bed:
            raise CommandError(f"{options['path']} has no image whose phrases all have a chain and a type.")
        rows = []
        runs = options["seeds"] * (1 if options["check_only"] else 2)
        with tqdm(total=len(bed) * runs, unit="image", disable=None) as bar:
            for seed in range(options["first"], options["first"] + options["seeds"]):
                pairs = [(made_gold(one.gold, seed), one.subject.mentions) for one in bed]
                images = with_vectors(plant(pairs, seed, options["wrong"]))
                settings = settings_of(values, programs)
                settings = replace(settings, learned=taught_by(images, settings.learned))
                found = check(images, settings, programs, seed, bar.update)
                whole = 0 if options["check_only"] else from_nothing(images, settings, programs, seed, bar.update)
                estimated = estimates(found)
                own = [row | {"estimates": estimated} for row in _rows(seed, found, whole)]
                rows += own
                self.say("\n".join([_lines(seed, images, found, own), *map(_estimated, estimated)]))
        if options["seeds"] > 1:
            self.say("\n".join(_inside(rows, of) for of in ("wrong before", "wrong after")))
        return rows


def _rows(seed: int, found: Checked, whole: float) -> list[dict[str, Any]]:
    """Return the figures of links and of boxes, shares from 0 to 1. `whole`: seconds from nothing; 0: not measured."""
    figures = found.figures()
    both = {
        "seed": seed,
        "made_wrong": figures["made wrong"],
        "waits": figures["waits"],
        "seconds_share": figures["seconds an image"] / whole if whole else None,
        **_doubts(found),
    }
    links = {"of": "links", "found": figures["found of phrases"], "asked": figures["links asked"]}
    return [links | both, {"of": "boxes", "found": figures["found of boxes"], "asked": figures["chains asked"]} | both]


def _doubts(found: Checked) -> dict[str, float]:
    """Return the shares of labels that are wrong and that were expected to be, before and after the check."""
    shares = {}
    for when, told in (("before", found.before), ("after", found.after)):
        shares[f"wrong_{when}"] = told.wrong / told.expected.labels
        shares[f"expected_{when}"] = told.expected.wrong / told.expected.labels
    return shares


def _estimated(row: dict[str, Any]) -> str:
    interval = f"{row['estimate']:.2%}, from {row['least']:.2%} to {row['most']:.2%}"
    return f"  labels {row['of']}: {row['truth']:.2%}; estimated {interval}" + ("" if row["inside"] else " (outside)")


def _inside(rows: list[dict[str, Any]], of: str) -> str:
    own = [one for row in rows if row["of"] == "boxes" for one in row["estimates"] if one["of"] == of]
    inside, reach = sum(row["inside"] for row in own), fmean(row["most"] - row["least"] for row in own) / 2
    return f"Labels {of}: in {inside} of {len(own)} runs inside the interval, which is ± {reach:.2%} in the mean."


def _lines(seed: int, images: list[Wronged], found: Checked, rows: list[dict[str, Any]]) -> str:
    first = f"Seed {seed}: {len(images)} real images, {sum(found.planted.values())} planted errors; workers simulated."
    lines = [first]
    for row in rows:
        asked = "judgments over pairs" if row["of"] == "links" else "chains with a person's answer"
        lines.append(f"  {row['of']}: {row['found']:.1%} found for {row['asked']:.1%} {asked}")
    waits = f"waiting for an expert: {rows[0]['waits']:.2%}"
    lines.append(f"  right labels made wrong: {rows[0]['made_wrong']:.2%}, {waits}")
    seconds = f"  {found.figures()['seconds an image']:.1f} s of people's work an image"
    share = rows[0]["seconds_share"]
    lines.append(seconds + ("" if share is None else f", {share:.0%} of annotating from nothing"))
    for when, told in (("before", found.before), ("after", found.after)):
        all_of = told.expected
        lines.append(f"  labels wrong {when}: {told.wrong} of {all_of.labels}; expected {all_of.wrong:.1f}, by doubt")
        lines += [
            f"    {low:.0%} to {high:.0%}: {wrong} of {own.labels}, expected {own.wrong:.1f}"
            for low, high, own, wrong in told.by_doubt()
        ]
    kinds = [kind for kind in PlantedKind if found.planted[kind]]
    lines += [f"    {kind.value}: {found.found[kind]} of {found.planted[kind]}" for kind in kinds]
    return "\n".join(lines)


def _programs(options: dict[str, Any]) -> Programs:
    for name in ("annotator", "proposer", "wrong"):
        if options[name] is not None and not 0 <= options[name] <= 1:
            raise CommandError(f"--{name} {options[name]:g}: give a share from 0 to 1.")
    wrong = options["annotator"]
    return Programs(options["proposer"], None if wrong is None else lambda image: wrong)
