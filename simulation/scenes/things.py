"""Other things that lie, stand or hang in a scene; (x, y) is the standing point unless stated otherwise."""

import math

from simulation.scenes.palette import NAMED, darker, lighter, mix
from simulation.scenes.shapes import Colour, Pen, Point, Shape

WOOD: Colour = (168, 118, 78)
STEEL: Colour = (112, 120, 134)


def ball(x: float, y: float, size: float, colour: Colour) -> list[Shape]:
    """A ball with a stripe, lying on (x, y)."""
    pen = Pen(x, y, size / 100)
    pen.disc("ball", colour, 0, -50, 50)
    pen.oval("ball", lighter(colour, 0.75), 0, -50, 20, 49)
    pen.oval("ball", colour, 0, -50, 8, 49)
    pen.oval("ball", lighter(colour, 0.35), -20, -74, 10, 7, -35)
    return pen.shapes


def parasol(x: float, y: float, size: float, colour: Colour, *, open_to: float = 50) -> list[Shape]:
    """An umbrella on a pole: `size` is the height, the roof reaches open_to hundredths to either side."""
    pen = Pen(x, y, size / 100)
    pen.line("pole", (236, 228, 214), 2, (0, -1), (0, -96))
    pale = lighter(colour, 0.82)
    for i, shade in enumerate((colour, pale, colour, pale, colour)):
        left, right = -1 + i * 0.4, -1 + (i + 1) * 0.4
        roof = [(u * open_to, -66 - 30 * math.sqrt(max(1 - u * u, 0))) for u in (left, left + 0.2, right)]
        middle = (left + right) / 2 * open_to
        pen.fill("roof", shade, *roof, (right * open_to, -66), (middle, -69), (left * open_to, -66))
    pen.disc("roof", colour, 0, -97, 2)
    return pen.shapes


def umbrella(hand: Point, size: float, colour: Colour) -> list[Shape]:
    """An umbrella that is held: the hand on its handle, the roof above."""
    pen = Pen(hand[0], hand[1], size / 100)
    pen.line("pole", (70, 64, 74), 2.4, (0, 8), (0, -66))
    around = [math.radians(a) for a in range(180, 361, 12)]
    scallops = [(50 - 12.5 * i, -50 - (7 if i % 2 else 0)) for i in range(9)]
    pen.fill("roof", colour, *[(50 * math.cos(a), -50 + 34 * math.sin(a)) for a in around], *scallops)
    for dx in (-26, 0, 26):
        pen.line("roof", darker(colour, 0.16), 1, (0, -82), (dx, -54))
    pen.line("roof", (70, 64, 74), 2, (0, -82), (0, -88))
    return pen.shapes


def park_seat(x: float, y: float, size: float) -> list[Shape]:
    """A park bench; its seat is 0.3 of its size above the ground."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 54, 5)
    for side in (-42, 42):
        pen.line("legs", (70, 70, 80), 3.4, (side, -1.7), (side, -52))
        pen.line("legs", (70, 70, 80), 3.4, (side, -26), (side + (5 if side > 0 else -5), -1.7))
    for top in (-55, -45, -36):
        pen.block("boards", WOOD, -50, top, 50, top + 6.5, 2)
    pen.block("boards", darker(WOOD, 0.12), -50, -27, 50, -21, 2)
    return pen.shapes


def round_table(x: float, y: float, size: float, cloth: Colour) -> list[Shape]:
    """A round table with a cloth, `size` wide; its top is 0.62 of its size above the floor."""
    pen = Pen(x, y, size / 100)
    pen.line("foot", (86, 66, 60), 5, (0, -4), (0, -54))
    pen.line("foot", (86, 66, 60), 4, (-17, -2), (0, -8), (17, -2))
    pen.fill("cloth", darker(cloth, 0.1), (-46, -58), (46, -58), (38, -36), (19, -42), (0, -35), (-19, -42), (-38, -36))
    pen.oval("cloth", cloth, 0, -59, 50, 7)
    return pen.shapes


def kite(x: float, y: float, size: float, colour: Colour, other: Colour) -> list[Shape]:
    """A kite in the air, (x, y) its middle, with a tail."""
    pen = Pen(x, y, size / 100)
    pen.line("tail", (250, 246, 236), 1.6, (4, 48), (-6, 66), (8, 84), (-2, 104))
    for tx, ty in ((-6, 66), (8, 84), (-2, 104)):
        pen.fill("tail", other, (tx - 8, ty - 5), (tx + 8, ty + 5), (tx + 8, ty - 5), (tx - 8, ty + 5))
    pen.fill("kite", colour, (0, -50), (36, -10), (0, 50), (-36, -10))
    pen.fill("kite", other, (0, -50), (36, -10), (0, -10))
    pen.fill("kite", other, (0, 50), (-36, -10), (0, -10))
    return pen.shapes


def string(
    start: Point, end: Point, sag: float = 0.0, colour: Colour = (250, 248, 240), width: float = 1.6
) -> list[Shape]:
    """A thin line between two points that sags by `sag` pixels."""
    pen = Pen(0, 0, 1)
    steps = [i / 10 for i in range(11)]
    points = [
        (start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t + sag * 4 * t * (1 - t)) for t in steps
    ]
    pen.line("string", colour, width, *points)
    return pen.shapes


def balloon(hand: Point, size: float, colour: Colour, drift: float = 8) -> list[Shape]:
    """A balloon on a string from a hand."""
    pen = Pen(hand[0], hand[1], size / 100)
    pen.line("string", (250, 248, 240), 1.6, (0, 0), (drift * 0.7, -60), (drift, -112))
    pen.fill("balloon", colour, (drift - 7, -108), (drift + 7, -108), (drift, -120))
    pen.oval("balloon", colour, drift, -158, 37, 44)
    pen.oval("balloon", lighter(colour, 0.5), drift - 14, -174, 7, 12, 24)
    return pen.shapes


def basket(x: float, y: float, size: float, fruit: Colour, *, in_hand: bool = False) -> list[Shape]:
    """A basket full of fruit."""
    pen = Pen(x, y, size / 100)
    if not in_hand:
        pen.shadow(0, 52, 9)
    for i in range(5):
        pen.disc("fruit", mix(fruit, (255, 240, 210), 0.12 * (i % 3)), -30 + i * 15, -54 - (i % 2) * 10, 15)
    pen.fill("basket", (196, 148, 92), (-44, -48), (44, -48), (34, -6), (-34, -6), round_by=6)
    for row in (-38, -24, -10):
        pen.line("basket", (160, 112, 68), 3, (-42 - row * 0.1, row), (42 + row * 0.1, row))
    pen.line("basket", (176, 128, 76), 8, (-44, -50), (44, -50))
    return pen.shapes


def lamp(x: float, y: float, size: float, *, lit: bool = False) -> list[Shape]:
    """A street lamp, `size` tall."""
    pen = Pen(x, y, size / 100)
    iron: Colour = (58, 62, 78)
    pen.line("pole", iron, 2.2, (0, -1.1), (0, -86))
    pen.block("pole", iron, -2.6, -9, 2.6, 0, 0.8)
    pen.fill(
        "lantern",
        (255, 226, 142) if lit else (244, 240, 220),
        (-3, -85),
        (3, -85),
        (4.6, -95),
        (-4.6, -95),
        round_by=0.5,
    )
    pen.fill("lantern", iron, (-6, -95), (6, -95), (0, -100))
    return pen.shapes


def sandcastle(x: float, y: float, size: float) -> list[Shape]:
    """A sand castle with a flag."""
    pen = Pen(x, y, size / 100)
    sand: Colour = (222, 176, 112)
    pen.line("flag", (120, 84, 60), 2, (0, -70), (0, -98))
    pen.fill("flag", (208, 70, 62), (1, -98), (22, -91), (1, -84))
    for dx, top in ((-34, -52), (34, -52), (0, -74)):
        shade = darker(sand, 0.1) if dx else sand
        pen.fill("towers", shade, (dx - 13, top), (dx + 13, top), (dx + 17, -4), (dx - 17, -4))
        for tooth in (-10, 0, 10):
            pen.block("towers", shade, dx + tooth - 3, top - 7, dx + tooth + 3, top + 1)
    pen.fill("mound", sand, (-44, -16), (44, -16), (54, -4), (-54, -4), round_by=4)
    pen.oval("gate", darker(sand, 0.4), 0, -14, 8, 12)
    return pen.shapes


def snowman(x: float, y: float, size: float) -> list[Shape]:
    """A snowman with a hat and a scarf, `size` tall."""
    pen = Pen(x, y, size / 100)
    snow, ink = (252, 252, 255), (52, 52, 64)
    pen.shadow(0, 30, 4)
    for side in (-1, 1):
        pen.line("arms", (116, 82, 62), 2, (side * 14, -54), (side * 34, -66), (side * 40, -74))
    for cy, r in ((-23, 23), (-54, 17), (-78, 12.5)):
        pen.disc("snow", (214, 226, 240), 0, cy, r)
        pen.disc("snow", snow, -1.5, cy - 1.5, r - 1.5)
    for i in range(3):
        pen.disc("buttons", ink, 2, -62 + i * 9, 1.6)
    for side in (-1, 1):
        pen.disc("face", ink, 2 + side * 4.5, -81, 1.5)
    pen.fill("face", (236, 140, 60), (3, -78), (3, -75), (15, -75))
    pen.line("scarf", (208, 70, 62), 5, (-10, -67), (0, -65), (10, -67))
    pen.line("scarf", (178, 56, 56), 4.5, (-8, -66), (-10, -52))
    pen.block("hat", ink, -8.5, -103, 8.5, -88, 1)
    pen.line("hat", ink, 2.6, (-13, -88.4), (13, -88.4))
    return pen.shapes


def sled(x: float, y: float, size: float) -> list[Shape]:
    """A wooden sled, heading to the right."""
    pen = Pen(x, y, size / 100)
    pen.line("runner", (150, 70, 62), 4, (-46, -2), (40, -2), (50, -10), (49, -20))
    for dx in (-32, 0, 30):
        pen.line("frame", (150, 70, 62), 4, (dx, -3), (dx, -18))
    pen.block("seat", (206, 152, 96), -48, -26, 44, -18, 3)
    return pen.shapes


def bouquet(hand: Point, size: float) -> list[Shape]:
    """Flowers in a hand."""
    pen = Pen(hand[0], hand[1], size / 100)
    for i in range(9):
        angle = math.radians(180 + i * 22.5)
        pen.disc("leaves", (98, 152, 104), 34 * math.cos(angle), -34 + 26 * math.sin(angle), 13)
    for i, (dx, dy) in enumerate(((-26, -40), (-6, -58), (18, -52), (30, -32), (6, -34), (-14, -26))):
        pen.disc("petals", ((236, 130, 150), (250, 240, 232), (240, 182, 96))[i % 3], dx, dy, 13)
        pen.disc("petals", (244, 206, 96), dx, dy, 4)
    pen.fill("stalks", (98, 152, 104), (-10, -16), (10, -16), (5, 22), (-5, 22), round_by=2)
    return pen.shapes


def swing(x: float, y: float, size: float) -> tuple[list[Shape], Point]:
    """The frame of a swing, `size` wide, and where its beam is."""
    pen = Pen(x, y, size / 100)
    red = NAMED["red"]
    for side in (-1, 1):
        pen.line("frame", darker(red, 0.18), 4, (side * 38, -118), (side * 30, -2))
        pen.line("frame", red, 4, (side * 40, -118), (side * 50, -2))
    pen.line("frame", red, 4.5, (-42, -118), (42, -118))
    return pen.shapes, pen.at(0, -118)


def slide(x: float, y: float, size: float, colour: Colour) -> list[Shape]:
    """A playground slide that goes down to the right, `size` wide."""
    pen = Pen(x, y, size / 100)
    for dx in (-46, -26):
        pen.line("ladder", STEEL, 3, (dx, -1.5), (dx, -84))
    for i in range(6):
        pen.line("ladder", STEEL, 2.4, (-46, -10 - i * 10), (-26, -10 - i * 10))
    pen.block("deck", darker(colour, 0.2), -50, -66, -20, -60, 2)
    pen.line("chute", darker(colour, 0.22), 11, (-24, -62), (0, -44), (28, -12), (44, -7))
    pen.line("chute", colour, 6.5, (-24, -65), (0, -47), (28, -15), (44, -10))
    return pen.shapes


def cup(x: float, y: float, size: float, colour: Colour) -> list[Shape]:
    """A cup on its saucer."""
    pen = Pen(x, y, size / 100)
    pen.line("cup", darker(colour, 0.12), 10, (30, -60), (52, -54), (48, -32), (28, -26))
    pen.fill("cup", colour, (-34, -72), (34, -72), (22, -14), (-22, -14), round_by=6)
    pen.oval("cup", (112, 74, 54), 0, -74, 34, 8)
    pen.oval("saucer", darker(colour, 0.08), 0, -8, 58, 8)
    return pen.shapes


def microphone(x: float, y: float, size: float) -> list[Shape]:
    """A microphone on a stand, `size` tall."""
    pen = Pen(x, y, size / 100)
    pen.oval("stand", (70, 74, 88), 0, -2, 12, 2)
    pen.line("stand", (120, 126, 140), 1.6, (0, -2), (0, -90))
    pen.line("stand", (52, 52, 62), 3.4, (0, -90), (-5, -95))
    pen.disc("stand", (150, 156, 168), -6, -97, 3.4)
    return pen.shapes


def fishing_rod(hand: Point, reach: float, water: float) -> list[Shape]:
    """A fishing rod in a hand, its line down to the water at that height."""
    pen = Pen(hand[0], hand[1], 1)
    tip = (reach, -reach * 0.7)
    pen.line("rod", (110, 76, 56), 4, (-reach * 0.12, reach * 0.08), tip)
    pen.line("line", (250, 248, 244), 1.4, tip, (reach * 1.04, water - hand[1] - 8))
    pen.disc("float", NAMED["red"], reach * 1.04, water - hand[1] - 5, 5)
    return pen.shapes
