"""Looks: a drawn person's features and clothes, and a random choice of them."""

from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from simulation.scenes.palette import BRIGHT, HAIRS, SKINS
from simulation.scenes.shapes import Colour

Kind = Literal["man", "woman", "boy", "girl"]
Garment = tuple[str, str]
"""A piece of clothing and the name of its colour: ("shirt", "red")."""


@dataclass(frozen=True, slots=True)
class Look:
    """Everything about a person that does not change with the pose."""

    kind: Kind
    skin: Colour
    hair: str
    """A key of HAIRS."""
    style: str
    """short, long, bun, ponytail, curly or bald."""
    top: Garment
    """shirt, t-shirt, sweater, jacket, coat or dress (which needs no bottom)."""
    bottom: Garment
    """trousers, jeans, shorts or skirt."""
    hat: Garment | None = None
    """hat, cap, beanie, helmet, headscarf or veil."""
    scarf: Garment | None = None
    apron: Garment | None = None
    old: bool = False
    beard: bool = False
    glasses: bool = False

    @property
    def child(self) -> bool:
        return self.kind in ("boy", "girl")

    @property
    def female(self) -> bool:
        return self.kind in ("woman", "girl")


def random_look(
    rng: Random, kind: Kind, *, old: bool | None = None, wear: dict[str, Garment | None] | None = None
) -> Look:
    """Choose a random person of this kind; `wear` fixes some of top, bottom, hat, scarf and apron."""
    female = kind in ("woman", "girl")
    aged = (kind in ("man", "woman") and rng.random() < 0.25) if old is None else old
    skin = rng.choice(SKINS)
    dark = sum(skin) < 480
    hair = "gray" if aged else rng.choice(("black", "brown") if dark else ("black", "brown", "brown", "blond", "red"))
    style = rng.choice(("long", "bun", "ponytail", "curly", "long") if female else ("short", "short", "curly"))
    colours = rng.sample(BRIGHT, 3)
    tops = ("t-shirt", "sweater", "shirt") if female else ("shirt", "t-shirt", "sweater")
    look = Look(
        kind=kind,
        skin=skin,
        hair=hair,
        style="bald" if aged and not female and rng.random() < 0.3 else style,
        top=(rng.choice(tops), rng.choice((colours[0], colours[0], "white"))),
        bottom=(rng.choice(("trousers", "jeans")), rng.choice(("blue", "black", "gray", "brown"))),
        old=aged,
        beard=kind == "man" and rng.random() < 0.35,
        glasses=rng.random() < 0.15,
    )
    look = replace(look, **(wear or {}))  # type: ignore[arg-type]
    if look.bottom[0] == "jeans":
        look = replace(look, bottom=("jeans", "blue"))
    if look.bottom[1] == look.top[1]:
        look = replace(look, bottom=(look.bottom[0], "gray" if look.top[1] != "gray" else "black"))
    return look


def hair_colour(look: Look) -> Colour:
    """Red, green and blue of the person's hair."""
    return HAIRS[look.hair]
