"""Playing: people with something in their hands, drawn so that hands and things meet."""

from simulation.scenes import things
from simulation.scenes.people import DrawnPerson, Look, Pose
from simulation.scenes.shapes import Colour, Pen, Shape, darker, lighter
from simulation.scenes.stage import SceneStage

BRASS: Colour = (232, 184, 78)
WOOD: Colour = (190, 116, 62)


def guitar(x: float, y: float, size: float, wood: Colour = WOOD) -> list[Shape]:
    """A guitar, (x, y) the middle of its body, the neck up to the right."""
    pen = Pen(x, y, size / 100)
    pen.line("neck", darker(wood, 0.45), 5, (8, -5), (56, -30))
    pen.line("neck", darker(wood, 0.6), 8, (56, -30), (66, -35))
    pen.disc("body", wood, -14, 7, 19)
    pen.disc("body", wood, 5, -3, 14.5)
    pen.disc("body", lighter(wood, 0.2), -14, 7, 15.5)
    pen.disc("body", lighter(wood, 0.2), 5, -3, 11)
    pen.disc("body", darker(wood, 0.6), -1, 0, 6)
    pen.line("body", darker(wood, 0.5), 3, (-21, 4), (-15, 16))
    pen.line("strings", (244, 236, 214), 0.9, (-18, 9), (58, -31))
    return pen.shapes


def violin(x: float, y: float, size: float) -> list[Shape]:
    """A violin at the chin, (x, y) the lower end of its body, and its bow."""
    pen = Pen(x, y, size / 100)
    wood: Colour = (164, 84, 46)
    pen.line("neck", darker(wood, 0.5), 5, (50, -4), (96, -8))
    pen.disc("neck", darker(wood, 0.5), 97, -9, 4)
    pen.oval("body", wood, 17, -1, 17, 15)
    pen.oval("body", wood, 43, -3, 14, 12.5)
    pen.block("body", wood, 22, -10, 42, 6)
    pen.line("body", darker(wood, 0.6), 3, (30, -4), (62, -6))
    pen.line("bow", (112, 70, 50), 2.6, (32, -34), (64, 50))
    pen.line("bow", (244, 236, 220), 1.2, (36, -34), (67, 48))
    return pen.shapes


def trumpet(x: float, y: float, size: float) -> list[Shape]:
    """A trumpet, (x, y) its mouthpiece, the bell to the right."""
    pen = Pen(x, y, size / 100)
    pen.line("tube", BRASS, 4.5, (2, 0), (86, -8))
    pen.line("tube", darker(BRASS, 0.15), 4.5, (28, -1), (24, 12), (62, 10), (66, -5))
    for i in range(3):
        pen.line("tube", lighter(BRASS, 0.4), 4, (38 + i * 9, -12), (38 + i * 9, 14))
    pen.fill("bell", BRASS, (76, -9), (76, -5), (98, 8), (99, -26), round_by=1)
    pen.oval("bell", darker(BRASS, 0.25), 98.5, -9, 3.4, 18)
    return pen.shapes


def drums(x: float, y: float, size: float, shell: Colour) -> list[Shape]:
    """A drum kit standing on (x, y), seen from the front."""
    pen = Pen(x, y, size / 100)
    steel: Colour = (176, 182, 192)
    for side in (-1, 1):
        pen.line("stand", steel, 1.8, (side * 44, -3), (side * 40, -76))
        pen.line("stand", steel, 1.8, (side * 44, -14), (side * 52, -1.5))
        pen.line("stand", steel, 1.8, (side * 44, -14), (side * 36, -1.5))
        pen.oval("cymbal", BRASS, side * 40, -76, 20, 3.6, side * -9)
    for dx in (-15, 15):
        pen.block("drum", shell, dx - 13, -68, dx + 13, -48, 3)
        pen.oval("drum", (246, 242, 234), dx, -66, 13, 4)
    for dx in (-39, 36):
        pen.block("drum", darker(shell, 0.1), dx - 13, -44, dx + 13, -18, 3)
        pen.oval("drum", (246, 242, 234), dx, -42, 13, 4)
        pen.line("stand", steel, 2, (dx, -18), (dx, -1.5))
    pen.disc("drum", darker(shell, 0.2), 0, -26, 26)
    pen.disc("drum", (246, 242, 234), 0, -26, 22)
    pen.disc("drum", shell, 0, -26, 10)
    return pen.shapes


def accordion(x: float, y: float, size: float, colour: Colour) -> list[Shape]:
    """An accordion, (x, y) its middle."""
    pen = Pen(x, y, size / 100)
    for i in range(7):
        shade = (246, 238, 224) if i % 2 else darker(colour, 0.35)
        pen.block("bellows", shade, -28 + i * 8, -25 + (i % 2) * 2, -19 + i * 8, 25 - (i % 2) * 2, 2)
    pen.block("case", colour, -48, -30, -27, 30, 4)
    pen.block("case", colour, 27, -30, 48, 30, 4)
    for i in range(6):
        pen.block("keys", (250, 248, 242), -46, -25 + i * 8.6, -36, -18.5 + i * 8.6, 1)
        pen.disc("keys", lighter(colour, 0.7), 38 + (i % 2) * 5, -22 + i * 9, 1.8)
    return pen.shapes


def plays_guitar(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, wood: Colour
) -> DrawnPerson:
    """A standing guitarist; the guitar is the thing "guitar"."""
    pose = Pose(near_hand=(-6, -53), far_hand=(19, -64), near_foot=(-7, 0), far_foot=(8, 0))
    figure = stage.person(key, look, pose, x, y, height)
    stage.put("guitar", guitar(x, y - height * 0.54, height * 0.52, wood))
    stage.put(key, figure.arms)
    return figure


def plays_violin(stage: SceneStage, key: str, look: Look, x: float, y: float, height: float) -> DrawnPerson:
    """A standing violinist; the violin with its bow is the thing "violin"."""
    unit = height / 100
    figure = stage.person(key, look, Pose(near_hand=(20, -63), far_hand=(33, -79)), x, y, height)
    stage.put("violin", violin(x + 5 * unit, y - 79 * unit, 31 * unit))
    stage.put(key, figure.arms)
    return figure


def plays_trumpet(stage: SceneStage, key: str, look: Look, x: float, y: float, height: float) -> DrawnPerson:
    """A standing trumpeter; the trumpet is the thing "trumpet"."""
    unit = height / 100
    figure = stage.person(key, look, Pose(near_hand=(19, -83), far_hand=(25, -84)), x, y, height)
    stage.put("trumpet", trumpet(x + 6.5 * unit, y - 86 * unit, 36 * unit))
    stage.put(key, figure.arms)
    return figure


def plays_accordion(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, colour: Colour
) -> DrawnPerson:
    """A standing accordionist; the accordion is the thing "accordion"."""
    pose = Pose(near_hand=(-18, -60), far_hand=(18, -60))
    figure = stage.person(key, look, pose, x, y, height)
    stage.put("accordion", accordion(x, y - height * 0.61, height * 0.38, colour))
    stage.put(key, figure.arms)
    return figure


def rides_bicycle(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, colour: Colour
) -> DrawnPerson:
    """Somebody on a bicycle, which is the thing "bicycle"."""
    pose = Pose(
        hips=(-10, -48), lean=13, near_hand=(19, -48), far_hand=(20, -49), near_foot=(1, -5), far_foot=(-5, -17)
    )
    stage.put("bicycle", things.bicycle(x, y, height * 0.78, colour))
    figure = stage.person(key, look, pose, x, y, height)
    stage.put(key, figure.arms)
    return figure


def holds_umbrella(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, colour: Colour
) -> DrawnPerson:
    """Somebody under an umbrella, which is the thing "umbrella"."""
    figure = stage.person(key, look, Pose(far_hand=(13, -66)), x, y, height)
    stage.put("umbrella", things.umbrella(figure.far_hand, height * 0.62, colour))
    stage.put(key, figure.arms)
    return figure
