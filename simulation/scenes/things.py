"""Things that lie, stand or hang in a scene, vehicles, animals; (x, y) is the standing point unless stated otherwise.

Vehicles head to the right and animals look to the right; their `size` is about their length in pixels.
"""

import math

from simulation.scenes.shapes import NAMED, Colour, Pen, Point, Shape, darker, lighter, mix

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


RUBBER: Colour = (52, 52, 62)
GLASS: Colour = (196, 224, 236)


def _wheel(pen: Pen, x: float, radius: float, hub: Colour = (206, 210, 214)) -> None:
    pen.disc("wheels", RUBBER, x, -radius, radius)
    pen.disc("wheels", hub, x, -radius, radius * 0.5)
    pen.disc("wheels", darker(hub, 0.4), x, -radius, radius * 0.15)


def car(x: float, y: float, size: float, paint: Colour, *, flip: bool = False, lit: bool = False) -> list[Shape]:
    """A small car, its headlight on if lit."""
    pen = Pen(x, y, size / 100, flip=flip)
    pen.shadow(0, 52, 5)
    pen.fill("body", paint, (-30, -22), (-20, -37), (12, -37), (28, -22), round_by=3)
    pen.fill("glass", GLASS, (-25, -23), (-17.5, -35), (-5, -35), (-5, -23), round_by=1)
    pen.fill("glass", GLASS, (-1, -23), (-1, -35), (10, -35), (21, -23), round_by=1)
    pen.block("body", paint, -50, -26, 50, -7, 6)
    pen.line("body", darker(paint, 0.2), 1, (-3, -24), (-3, -9))
    pen.line("body", darker(paint, 0.3), 2.4, (-47, -10), (47, -10))
    pen.line("body", darker(paint, 0.3), 1.6, (1, -20), (6, -20))
    pen.disc("light", (255, 240, 170) if lit else (250, 232, 200), 46, -19, 3)
    pen.disc("light", (214, 80, 70), -47, -19, 2.4)
    _wheel(pen, -28, 10)
    _wheel(pen, 28, 10)
    return pen.shapes


def bus(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A city bus."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 51, 3.5)
    pen.block("body", paint, -50, -44, 50, -5, 4)
    pen.block("body", lighter(paint, 0.75), -50, -20, 50, -16)
    for i in range(5):
        pen.block("glass", GLASS, -46 + i * 16, -39, -33 + i * 16, -24, 1.5)
        pen.fill(
            "glass",
            lighter(GLASS, 0.5),
            (-42 + i * 16, -39),
            (-38 + i * 16, -39),
            (-44 + i * 16, -24),
            (-46 + i * 16, -26),
        )
    pen.block("glass", GLASS, 35, -39, 48, -10, 1.5)
    pen.line("body", darker(paint, 0.2), 1, (41.5, -38), (41.5, -10))
    pen.line("body", darker(paint, 0.35), 2, (-48, -6), (48, -6))
    pen.disc("light", (255, 240, 190), 48, -13, 1.8)
    _wheel(pen, -28, 7)
    _wheel(pen, 24, 7)
    return pen.shapes


def bicycle(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A bicycle; saddle at (-14, -58), handlebar at (26, -64), pedals about (-3, -20) in hundredths of its size."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 50, 4)
    for wx in (-31, 31):
        around = [(wx + 18 * math.cos(t), -19 + 18 * math.sin(t)) for t in [math.tau * i / 28 for i in range(29)]]
        pen.line("wheels", RUBBER, 2.4, *around)
        for i in range(6):
            t = math.pi * i / 6
            dx, dy = 17 * math.cos(t), 17 * math.sin(t)
            pen.line("wheels", (150, 156, 164), 0.6, (wx - dx, -19 - dy), (wx + dx, -19 + dy))
    pen.line("frame", paint, 3, (-31, -19), (-3, -19), (20, -50), (-12, -50), (-31, -19))
    pen.line("frame", paint, 3, (-3, -19), (-14, -56))
    pen.line("frame", paint, 3, (31, -19), (18, -60))
    pen.line("frame", RUBBER, 3, (18, -60), (25, -63))
    pen.line("frame", RUBBER, 5, (-20, -58), (-9, -57))
    pen.disc("frame", (120, 126, 134), -3, -19, 4.5)
    pen.line("frame", RUBBER, 2, (-3, -19), (2, -10))
    return pen.shapes


def sailboat(x: float, y: float, size: float, hull: Colour, sail: Colour) -> list[Shape]:
    """A boat under sail; y is the water line."""
    pen = Pen(x, y, size / 100)
    pen.line("mast", (120, 84, 60), 2.4, (0, -14), (0, -116))
    pen.fill("sail", sail, (4, -112), (4, -22), (40, -22), round_by=1.5)
    pen.fill("sail", darker(sail, 0.09), (-4, -104), (-4, -22), (-34, -22), round_by=1.5)
    pen.line("sail", darker(sail, 0.16), 1.2, (5, -50), (27, -50))
    pen.fill("flag", (208, 70, 62), (1, -117), (1, -108), (-13, -112))
    pen.fill("hull", hull, (-48, -14), (50, -16), (34, -2), (-36, -2), round_by=2)
    pen.line("hull", lighter(hull, 0.6), 2.4, (-46, -13), (48, -15))
    return pen.shapes


def rowboat(x: float, y: float, size: float, hull: Colour) -> list[Shape]:
    """An open boat as seen from the side; y is the water line."""
    pen = Pen(x, y, size / 100)
    pen.fill("hull", hull, (-49, -19), (-20, -13), (20, -13), (49, -20), (36, -1), (-36, -1), round_by=1)
    pen.line("hull", lighter(hull, 0.45), 2.4, (-48, -18), (-20, -12.6), (20, -12.6), (48, -19))
    pen.line("hull", darker(hull, 0.2), 0.8, (-42, -9), (42, -9))
    return pen.shapes


def tractor(x: float, y: float, size: float, paint: Colour) -> list[Shape]:
    """A farm tractor with a cab."""
    pen = Pen(x, y, size / 100)
    pen.shadow(0, 52, 5)
    pen.line("pipe", (80, 82, 92), 3.5, (30, -42), (30, -68))
    pen.block("glass", GLASS, -32, -74, 4, -36, 2)
    pen.line("cab", darker(paint, 0.15), 3, (-31, -38), (-31, -72))
    pen.line("cab", darker(paint, 0.15), 3, (3, -38), (3, -72))
    pen.block("cab", paint, -37, -79, 9, -71, 3)
    pen.block("body", paint, -8, -46, 46, -20, 5)
    pen.block("body", darker(paint, 0.12), -38, -40, 4, -24, 4)
    for i in range(3):
        pen.line("body", darker(paint, 0.35), 1.6, (34, -40 + i * 6), (43, -40 + i * 6))
    _wheel(pen, -24, 24, (243, 197, 80))
    _wheel(pen, 33, 14, (243, 197, 80))
    return pen.shapes


INK: Colour = (46, 38, 46)


def _legs(pen: Pen, colour: Colour, width: float, top: float, *xs: float, bottom: float = 0.0) -> None:
    for i, x in enumerate(xs):
        shade = darker(colour, 0.18) if i % 2 else colour
        pen.line("legs", shade, width, (x, top), (x, bottom - width / 2))


def dog(x: float, y: float, size: float, coat: Colour, *, flip: bool = False, leaping: bool = False) -> list[Shape]:
    """A dog with a collar, its legs stretched out if it leaps."""
    pen = Pen(x, y, size / 100, flip=flip)
    dark = darker(coat, 0.3)
    pen.line("tail", coat, 8, (-40, -50), (-52, -62), (-54, -76))
    if leaping:
        for i, (ax, bx) in enumerate(((-30, -54), (24, 50), (-24, -42), (20, 40))):
            pen.line("legs", dark if i % 2 else coat, 10, (ax, -38), (bx, -14 if i < 2 else -6))
    else:
        _legs(pen, darker(coat, 0.12), 10, -34, -24, 18)
        _legs(pen, coat, 11, -36, -33)
        _legs(pen, coat, 11, -36, 26)
    pen.line("body", coat, 31, (-30, -45), (22, -46))
    pen.line("body", coat, 22, (22, -50), (36, -70))
    pen.disc("head", coat, 42, -76, 15)
    pen.line("head", lighter(coat, 0.3), 12, (50, -72), (60, -71))
    pen.disc("head", INK, 65, -73, 4)
    pen.disc("head", INK, 46, -80, 2.4)
    pen.line("head", dark, 10, (34, -84), (28, -70))
    pen.line("collar", (208, 70, 62), 5, (22, -64), (38, -58))
    return pen.shapes


def cat(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A sitting cat."""
    pen = Pen(x, y, size / 100)
    dark = darker(coat, 0.22)
    pen.line("tail", dark, 9, (-20, -8), (-40, -6), (-48, -20), (-44, -34))
    pen.fill("body", coat, (-18, -16), (16, -16), (12, -52), (0, -58), round_by=15)
    _legs(pen, lighter(coat, 0.2), 11, -30, 8, 20)
    for side in (-1, 1):
        pen.fill("head", dark, (10 + side * 19, -76), (10 + side * 7, -92), (10 + side * 17, -104), round_by=1)
    pen.oval("head", coat, 10, -77, 23, 19)
    for side in (-1, 1):
        pen.oval("head", (86, 130, 84), 14 + side * 9, -79, 3.6, 4.6)
        pen.oval("head", INK, 14 + side * 9, -79, 1.6, 4)
        pen.line("head", lighter(coat, 0.6), 1.2, (14 + side * 8, -70), (14 + side * 26, -72))
    pen.oval("head", (214, 130, 130), 14, -72, 3, 2)
    for dx in (-8, 0, 8):
        pen.line("body", dark, 3, (-14 + dx, -46), (-10 + dx, -34))
    return pen.shapes


def horse(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A horse with a dark mane; its back is at 0.86 of its size."""
    pen = Pen(x, y, size / 100)
    dark = mix(coat, (40, 28, 34), 0.62)
    pen.line("tail", dark, 9, (-46, -78), (-56, -62), (-55, -36))
    far, near = darker(coat, 0.2), darker(coat, 0.04)
    for top, knee, foot, shade in (
        (-30, -21, -29, far),
        (30, 41, 39, far),
        (-38, -40, -41, near),
        (24, 24, 20, near),
    ):
        pen.line("legs", shade, 11, (top, -56), (knee, -30))
        pen.line("legs", shade, 7.5, (knee, -30), (foot, -6))
        pen.line("hooves", INK, 8, (foot, -4), (foot + 2, -4))
    pen.line("body", coat, 36, (-32, -66), (26, -67))
    pen.fill("neck", coat, (22, -66), (38, -62), (58, -100), (46, -108), round_by=7)
    pen.fill("mane", dark, (18, -84), (26, -84), (50, -112), (42, -116), round_by=3)
    pen.line("head", coat, 15, (53, -108), (69, -93))
    pen.line("head", lighter(coat, 0.22), 11, (68, -94), (73, -89))
    pen.fill("head", coat, (47, -113), (51, -124), (55, -113), round_by=1.5)
    pen.disc("head", INK, 58, -106, 2)
    pen.disc("head", dark, 75, -90, 1.5)
    pen.line("bridle", (86, 52, 44), 2.2, (62, -95), (68, -103))
    pen.line("bridle", (86, 52, 44), 1.8, (65, -96), (30, -88))
    return pen.shapes


def cow(x: float, y: float, size: float, coat: Colour) -> list[Shape]:
    """A cow with patches and horns."""
    pen = Pen(x, y, size / 100)
    patch = mix(coat, (70, 52, 48), 0.82)
    pen.line("tail", coat, 3.5, (-50, -62), (-56, -44), (-54, -26))
    pen.disc("tail", patch, -54, -23, 4)
    _legs(pen, darker(coat, 0.14), 10, -34, -26, 30)
    _legs(pen, coat, 11, -34, -38)
    _legs(pen, coat, 11, -34, 22)
    pen.oval("body", (236, 178, 170), -18, -30, 12, 7)
    pen.block("body", coat, -50, -70, 40, -28, 16)
    pen.oval("body", patch, -26, -57, 15, 12, -10)
    pen.oval("body", patch, 14, -44, 12, 11, 20)
    pen.line("head", coat, 18, (34, -62), (46, -70))
    pen.line("head", (236, 222, 196), 4, (44, -84), (42, -92))
    pen.line("head", (236, 222, 196), 4, (58, -84), (61, -92))
    pen.line("head", patch, 7, (36, -78), (31, -76))
    pen.line("head", patch, 7, (64, -78), (68, -76))
    pen.fill("head", coat, (44, -80), (58, -80), (58, -62), (48, -62), round_by=5)
    pen.oval("head", (236, 178, 170), 54, -57, 10, 7)
    for dx in (-4, 4):
        pen.disc("head", (160, 96, 96), 54 + dx, -57, 1.5)
        pen.disc("head", INK, 52 + dx * 1.2, -73, 2)
    return pen.shapes


def sheep(x: float, y: float, size: float, *, flip: bool = False) -> list[Shape]:
    """A sheep in its wool."""
    pen = Pen(x, y, size / 100, flip=flip)
    wool, face = (240, 234, 222), (78, 66, 66)
    _legs(pen, face, 8, -26, -24, -12, 14, 26)
    for i in range(12):
        turn = math.tau * i / 12
        pen.disc(
            "wool",
            mix(wool, (190, 184, 190), 0.25 if math.sin(turn) > 0.3 else 0),
            30 * math.cos(turn),
            -44 + 17 * math.sin(turn),
            13,
        )
    pen.oval("wool", wool, 0, -46, 34, 20)
    pen.oval("head", face, 42, -56, 10, 14, -28)
    pen.line("head", face, 6, (34, -62), (28, -58))
    pen.disc("wool", wool, 37, -67, 9)
    pen.disc("head", (250, 250, 250), 44, -59, 2.6)
    pen.disc("head", INK, 44.6, -59, 1.5)
    return pen.shapes


def duck(x: float, y: float, size: float, feathers: Colour, *, flip: bool = False) -> list[Shape]:
    """A duck as it swims: (x, y) is the middle of the line where it meets the water."""
    pen = Pen(x, y, size / 100, flip=flip)
    pen.fill("body", feathers, (-50, -34), (-30, -24), (20, -26), (38, -20), (24, -6), (-24, -6), round_by=6)
    pen.line("body", feathers, 17, (26, -22), (28, -50))
    pen.disc("head", (62, 122, 92) if sum(feathers) < 620 else feathers, 30, -56, 14)
    pen.fill("beak", (238, 158, 62), (40, -58), (58, -52), (42, -48), round_by=2)
    pen.disc("head", INK, 34, -60, 2.4)
    pen.oval("wing", darker(feathers, 0.16), -6, -22, 24, 11, 8)
    return pen.shapes


def seagull(x: float, y: float, size: float, *, flip: bool = False, tilt: float = 1.0) -> list[Shape]:
    """A seagull in flight, (x, y) its middle."""
    pen = Pen(x, y, size / 100, flip=flip)
    white, gray = (250, 250, 248), (168, 180, 194)
    pen.fill("wing", darker(gray, 0.1), (4, -4), (-6, -34 * tilt), (-34, -50 * tilt), (-16, -4), round_by=2)
    pen.oval("body", white, 0, 0, 28, 10, -8)
    pen.fill("tail", white, (-24, 2), (-42, 2), (-38, 10), round_by=2)
    pen.disc("head", white, 26, -8, 9)
    pen.fill("beak", (240, 170, 60), (34, -9), (44, -5), (34, -4), round_by=1)
    pen.disc("head", INK, 28, -10, 1.8)
    pen.fill("wing", gray, (12, -2), (22, -36 * tilt), (50, -56 * tilt), (-10, 0), round_by=2)
    pen.line("wing", INK, 4, (44, -50 * tilt), (50, -56 * tilt))
    return pen.shapes


def camel(x: float, y: float, size: float, coat: Colour, *, flip: bool = False) -> list[Shape]:
    """A camel with a blanket over its hump."""
    pen = Pen(x, y, size / 100, flip=flip)
    _legs(pen, darker(coat, 0.16), 8, -44, -26, 26)
    _legs(pen, coat, 9, -44, -36)
    _legs(pen, coat, 9, -44, 18)
    pen.line("tail", darker(coat, 0.2), 4, (-46, -66), (-52, -46))
    pen.line("body", coat, 32, (-30, -62), (20, -62))
    pen.fill("hump", coat, (-30, -72), (14, -72), (-6, -96), round_by=8)
    pen.fill("blanket", (196, 72, 72), (-24, -82), (8, -82), (12, -56), (-28, -56), round_by=3)
    pen.line("blanket", (243, 197, 80), 3, (-28, -60), (12, -60))
    pen.line("blanket", (72, 130, 150), 3, (-26, -72), (10, -72))
    pen.line("neck", coat, 14, (24, -62), (42, -58), (52, -88))
    pen.line("head", coat, 15, (52, -94), (68, -90))
    pen.line("head", darker(coat, 0.25), 5, (46, -100), (43, -106))
    pen.disc("head", INK, 57, -97, 2.2)
    pen.line("head", darker(coat, 0.3), 1.6, (66, -86), (73, -87))
    return pen.shapes
