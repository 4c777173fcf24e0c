"""The palette: the colours of clothes and things by the names that captions use, skin, hair, and shades of them."""

from simulation.scenes.shapes import Colour

NAMED: dict[str, Colour] = {
    "red": (208, 70, 62),
    "orange": (233, 134, 56),
    "yellow": (243, 197, 80),
    "green": (82, 146, 98),
    "blue": (58, 106, 170),
    "purple": (122, 88, 156),
    "pink": (232, 140, 158),
    "white": (246, 242, 234),
    "black": (52, 52, 64),
    "gray": (138, 145, 156),
    "brown": (134, 94, 66),
}
BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "pink")

SKINS: tuple[Colour, ...] = ((246, 208, 180), (234, 186, 150), (208, 152, 112), (168, 112, 78), (118, 76, 54))
HAIRS: dict[str, Colour] = {
    "black": (44, 38, 42),
    "brown": (98, 64, 44),
    "blond": (226, 184, 104),
    "red": (178, 84, 46),
    "gray": (188, 188, 190),
}


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """The colour that lies `share` (0.0 to 1.0) of the way from a to b."""
    return tuple([round(x + (y - x) * share) for x, y in zip(a, b, strict=True)])


def darker(colour: Colour, share: float = 0.16) -> Colour:
    """A shade of the colour, a little towards a cool dark."""
    return mix(colour, (34, 30, 62), share)


def lighter(colour: Colour, share: float = 0.25) -> Colour:
    """A tint of the colour, towards a warm white."""
    return mix(colour, (255, 250, 240), share)
