"""python -m studies sweeps PATH: seconds of links with sweeps, against pairs alone."""

from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser
from tqdm import tqdm

from simulation.compare_strategies import bed_image
from studies.command import StudyCommand, markdown, read_images
from studies.linking.sweeps import FURTHER, GOALS, STOPS, measure, narrated_samples, real_samples, rows


class Command(StudyCommand):
    help = "Compare sweeps with pairs alone on the same images, simulated workers and seeds: seconds at exact chains."
    least: ClassVar = {"images": 1, "seeds": 1, "fitted_on": 0}

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, nargs="?", help="Flickr30k Entities; without it made narrations")
        parser.add_argument("--images", type=int, default=100, help="images of each project (100)")
        parser.add_argument("--seeds", type=int, default=3, metavar="N", help="projects, each with its own crowd (3)")
        parser.add_argument("--fitted-on", type=int, default=200, metavar="N", help="other images for the prior (200)")
        parser.add_argument(
            "--further", type=float, nargs="+", default=FURTHER, metavar="SECONDS", help="of each further candidate"
        )
        parser.add_argument(
            "--stops", type=float, nargs="+", default=STOPS, metavar="BITS", help="least bits for 7.5 s"
        )

    def study(self, options: dict[str, Any]) -> Any:
        seeds, images, further = (options[name] for name in ("seeds", "images", "further"))
        stops = sorted(options["stops"], reverse=True)
        if options["path"]:
            bed = [bed_image(image) for image in read_images(options["path"])]
            samples = real_samples(bed, range(seeds), images, options["fitted_on"])
        else:
            samples = narrated_samples(range(seeds), images)
        with tqdm(total=seeds * images * (1 + len(further)), unit="image", disable=None) as bar:
            found = [measure(sample, further, stops, bar.update) for sample in samples]
        self.say(f"Simulated workers: {seeds} projects of {images} images. Seconds an image (share of pairs'), where")
        self.say(markdown(("", *(f"{goal:g} % of chains are exact" for goal in GOALS)), rows(found)))
        return [{str(name): points for name, points in run.items()} for run in found]
