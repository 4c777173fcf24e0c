"""A crowd: people who cannot be told apart, seen from behind; the crowd has one box."""

from random import Random

from simulation.scenes.palette import HAIRS, NAMED, SKINS, darker, mix
from simulation.scenes.shapes import Colour, Pen, Shape

HAIR = (HAIRS["black"], HAIRS["brown"], HAIRS["blond"], HAIRS["red"], HAIRS["brown"])


def crowd(
    rng: Random, left: float, right: float, y: float, size: float, *, dim: float = 0.0, cheering: bool = False
) -> list[Shape]:
    """Draw two rows of backs from `left` to `right`, down to y. Heads are `size` tall; `dim` (0 to 1) darkens them."""
    pen = Pen(0, 0, 1)
    night: Colour = (36, 28, 66)
    for row in (1, 0):
        count = max(3, int((right - left) / (size * 1.25)))
        step = (right - left - size * 1.8) / (count - 1)
        for i in range(count - row):
            x = left + size * 0.9 + (i + row * 0.5) * step
            top = y - size * (2.15 + 0.62 * row) + rng.uniform(-0.14, 0.14) * size
            shade = dim + 0.14 * row
            coat = mix(
                NAMED[rng.choice(("red", "blue", "green", "purple", "gray", "orange", "yellow", "white"))], night, shade
            )
            skin, hair = mix(rng.choice(SKINS), night, shade), mix(rng.choice(HAIR), night, shade)
            if cheering and rng.random() < 0.45:
                for side in rng.choice(((-1,), (1,), (-1, 1))):
                    hand = (x + side * size * 0.7, top - size * 0.35)
                    pen.line(
                        "arms",
                        darker(coat, 0.1),
                        size * 0.24,
                        (x + side * size * 0.55, top + size * 1.3),
                        (x + side * size * 0.72, top + size * 0.1),
                    )
                    pen.disc("arms", skin, *hand, size * 0.15)
            pen.block("backs", coat, x - size * 0.72, top + size * 1.0, x + size * 0.72, y, size * 0.3)
            pen.line("necks", darker(skin, 0.1), size * 0.4, (x, top + size * 0.7), (x, top + size * 1.05))
            pen.oval("heads", skin, x, top + size * 0.55, size * 0.42, size * 0.48)
            pen.oval("heads", hair, x, top + size * 0.45, size * 0.45, size * 0.47)
    return pen.shapes
