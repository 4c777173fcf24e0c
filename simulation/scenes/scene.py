"""A scene: everything known about one drawn picture, and the settings in which scenes take place."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from exchange.dataset import DatasetImage
from simulation.scenes.shapes import Layer, Shape
from simulation.scenes.stage import Boxed, SceneStage
from simulation.scenes.stories import coast, country, parks, shows, town


class SceneSetting(NamedTuple):
    """A place: the painter of its backdrop, and the story in front of it."""

    name: str
    backdrop: Callable[[Random], list[Layer]]
    story: Callable[[SceneStage], None]


SETTINGS = (
    SceneSetting("park", parks.park_backdrop, parks.park),
    SceneSetting("concert", shows.concert_backdrop, shows.concert),
    SceneSetting("beach", coast.beach_backdrop, coast.beach),
    SceneSetting("street", town.street_backdrop, town.street),
    SceneSetting("farm", country.farm_backdrop, country.farm),
    SceneSetting("river", parks.river_backdrop, parks.wedding),
    SceneSetting("night", town.night_backdrop, town.night),
    SceneSetting("snow", country.snow_backdrop, country.snow),
    SceneSetting("cafe", shows.cafe_backdrop, shows.cafe),
    SceneSetting("harbour", coast.harbour_backdrop, coast.harbour),
    SceneSetting("market", town.market_backdrop, town.market),
    SceneSetting("playground", parks.playground_backdrop, parks.playground),
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene: its captions, mentions, chains and boxes, and the shapes to draw it."""

    seed: int
    index: int
    setting: SceneSetting
    mirror: bool
    """Whether the picture is mirrored. Boxes are mirrored too; the shapes are not."""
    image: DatasetImage
    shapes: tuple[Shape, ...]
    """The entities, from back to front."""
    things: dict[str, tuple[Shape, ...]]
    """The same shapes by the thing they belong to."""
    hidden_below: dict[str, int]
    """The height in pixels below which things behind a counter or a hull are hidden."""
    boxed: dict[str, tuple[Boxed, ...]]
    """The things in the picture that each chain means, by the chain's name."""

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The pairs (part, whole) of chains of which the first means some of what the second means, by their names."""
        own = {name: frozenset(things) for name, things in self.boxed.items() if things}
        return [(part, whole) for part, few in own.items() for whole, many in own.items() if few < many]


def generator_for(seed: int, index: int, purpose: str) -> Random:
    """Return the random generator for one purpose of one scene; the same on every machine."""
    return Random(f"{seed}/{index}/{purpose}")
