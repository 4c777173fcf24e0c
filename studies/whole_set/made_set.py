"""Made images of Flickr30k's sizes: as many as wanted from some hundred drawn scenes, whose pictures are drawn once."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice
from pathlib import Path

from annotation.rules.box import Box
from exchange.atomic import atomic_file
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k.write import annotation_lines, sentence_lines
from simulation.box_crowd import BoxCrowd
from simulation.crowd import Crowd
from simulation.link_crowd import WORKERS, LinkCrowd
from simulation.scenes.make import draw_scene, make_scene
from simulation.scenes.scene import Scene
from simulation.view import GoldImage
from studies.whole_campaign.campaign_cost import CampaignImage, campaign_images

WIDTH, HEIGHT = 500, 333
"""The pixels of Flickr30k's most common pictures."""
SCENES = 240
"""Scenes that are drawn: more than a hundred images lie between two of one scene."""
MOST_PHRASES = 17
"""Scenes of more are left out, so that the others have about as many as Flickr30k's images, 16.2 on average."""
SEED = 1


@dataclass(frozen=True)
class MadeSet:
    """`images` images: number n shows scene n modulo `scenes`, with the captions of that scene."""

    images: int
    scenes: int = SCENES
    seed: int = SEED

    @property
    def drawn(self) -> int:
        """The number of pictures."""
        return min(self.images, self.scenes)

    def name(self, number: int) -> str:
        return f"made-{number:05}"

    def number(self, name: str) -> int:
        """Return the number of the image with this name."""
        return int(name.rpartition("-")[2])

    def like(self, name: str) -> str:
        """Return the name of the first image of the same scene."""
        return self.name(self.number(name) % self.drawn)

    def image(self, number: int) -> DatasetImage:
        return replace(self._of_scene[number % self.drawn], name=self.name(number))

    @cached_property
    def _scenes(self) -> list[Scene]:
        made = (make_scene(self.seed, index) for index in count())
        return list(islice((one for one in made if len(one.image.mentions) <= MOST_PHRASES), self.drawn))

    @cached_property
    def _of_scene(self) -> list[DatasetImage]:
        return [replace(_scaled(one.image), name=self.name(scene)) for scene, one in enumerate(self._scenes)]

    @cached_property
    def _subjects(self) -> dict[str, CampaignImage]:
        return {one.gold.key: one for one in campaign_images(self._of_scene)}

    def gold(self, name: str) -> GoldImage:
        """Return the gold of an image. Images of one scene share its chains, so that an image costs no memory."""
        return replace(self._subjects[self.like(name)].gold, key=name)

    def crowd(self, seed: int) -> Crowd:
        """Return the crowd `paper`; its error rates hold over the scenes."""
        links = [
            (
                subject.gold.key,
                subject.subject.for_links(),
                {number: chain.name for number, chain in subject.gold.chain_of.items()},
            )
            for subject in self._subjects.values()
        ]
        return Crowd(WORKERS, LinkCrowd(links, seed, like=self.like), BoxCrowd(seed))

    def draw(self, folder: Path, step: Callable[[], object]) -> None:
        """Draw the picture of each scene into the folder, unless it is there. `step` is called after each."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, scene in enumerate(self._scenes):
            file = folder / f"{number}.jpg"
            if not file.exists():
                picture = draw_scene(scene).resize((WIDTH, HEIGHT))
                with atomic_file(file) as temporary:
                    picture.save(temporary, "JPEG", quality=90)
            step()

    def write_source(self, folder: Path, pictures: Path, step: Callable[[], object]) -> None:
        """Write the set in the format of Flickr30k Entities, with links to the pictures. Goes on where it was stopped.

        The picture of an image is linked when its texts are written, so it tells that they are.
        """
        for part in ("Sentences", "Annotations", "images"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        for number in range(self.images):
            name = self.name(number)
            picture = folder / "images" / f"{name}.jpg"
            if not picture.exists():
                image = self.image(number)
                _write(folder / "Sentences" / f"{name}.txt", sentence_lines(image))
                _write(folder / "Annotations" / f"{name}.xml", annotation_lines(image))
                os.link(pictures / f"{number % self.drawn}.jpg", picture)
            step()


def _write(file: Path, lines: Iterator[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _scaled(image: DatasetImage) -> DatasetImage:
    """Return the image in the size of its small picture."""
    across, down = WIDTH / image.width, HEIGHT / image.height
    boxes = tuple(replace(box, box=_smaller(box.box, across, down)) for box in image.boxes)
    return replace(image, width=WIDTH, height=HEIGHT, boxes=boxes)


def _smaller(box: Box, across: float, down: float) -> Box:
    x0, y0 = int(box.x0 * across), int(box.y0 * down)
    return Box(x0, y0, max(x0 + 1, min(WIDTH, round(box.x1 * across))), max(y0 + 1, min(HEIGHT, round(box.y1 * down))))
