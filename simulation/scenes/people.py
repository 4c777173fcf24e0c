"""People: a random choice of features and clothes; bodies, heads and hair, alone and in a crowd."""

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from simulation.scenes.shapes import BRIGHT, HAIRS, NAMED, SKINS, Colour, Pen, Point, Shape, darker, lighter, mix

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


def draw_head(
    pen: Pen, look: Look, size: Point, chest: Point, lean: float, *, smile: bool = True, back: bool = False
) -> None:
    """A head of the given half axes above the chest, looking to the right, or seen from behind."""
    rx, ry = size
    x, y = chest[0] + lean * 0.25 + 0.6, chest[1] - ry - 3.2
    _back_hair(pen, look, x, y, rx, ry)
    pen.line("neck", darker(look.skin, 0.1), 6.2, (chest[0], chest[1] - 0.6), (x, y))
    if back:
        pen.oval("hair", hair_colour(look), x, y - 0.4, rx + 0.5, ry + 0.4)
    else:
        pen.disc("face", darker(look.skin, 0.08), x - rx * 0.95, y + 1, rx * 0.24)
        pen.oval("face", look.skin, x, y, rx, ry)
        _features(pen, look, x, y, rx, ry, smile=smile)
        _front_hair(pen, look, x, y, rx, ry)
    if look.hat:
        _hat(pen, look.hat, x, y, rx, ry)


def _features(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float, *, smile: bool) -> None:
    ink = (52, 40, 48)
    eye, turn = rx * 0.36, rx * 0.2
    if look.beard:
        colour = hair_colour(look)
        around = [math.radians(a) for a in range(0, 181, 20)]
        jaw = [(x + rx * 1.0 * math.cos(a), y + ry * 0.1 + ry * 0.95 * math.sin(a)) for a in around]
        pen.fill(
            "hair", colour, *jaw, (x - rx * 0.6, y + ry * 0.32), (x + turn, y + ry * 0.26), (x + rx * 0.8, y + ry * 0.3)
        )
    blush = mix(look.skin, (226, 96, 92), 0.28)
    for side in (-1, 1):
        pen.disc("face", ink, x + turn + side * eye, y - ry * 0.02, rx * 0.105)
        if not look.beard:
            pen.oval("face", blush, x + turn + side * eye * 1.45, y + ry * 0.3, rx * 0.16, ry * 0.1)
    pen.line(
        "face",
        darker(look.skin, 0.22),
        rx * 0.1,
        (x + turn + rx * 0.08, y + ry * 0.06),
        (x + turn + rx * 0.14, y + ry * 0.2),
    )
    dip = 0.12 if smile else 0.0
    mouth = darker(mix(look.skin, (170, 50, 50), 0.55), 0.1)
    low = y + ry * 0.46
    pen.line(
        "face", mouth, rx * 0.12, (x + turn - rx * 0.22, low), (x + turn, low + ry * dip), (x + turn + rx * 0.22, low)
    )
    if look.glasses:
        for side in (-1, 1):
            pen.oval("glasses", (60, 60, 76), x + turn + side * eye, y - ry * 0.02, rx * 0.29, rx * 0.29)
            pen.oval("glasses", (222, 236, 244), x + turn + side * eye, y - ry * 0.02, rx * 0.21, rx * 0.21)
            pen.disc("face", ink, x + turn + side * eye, y - ry * 0.02, rx * 0.1)


def _back_hair(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float) -> None:
    colour = hair_colour(look)
    if look.style == "bald":
        return
    if look.style == "long":
        dark = darker(colour, 0.08)
        pen.block("hair", dark, x - rx * 1.22, y - ry * 0.9, x + rx * 1.1, y + ry * 1.5, rx * 0.85)
    elif look.style == "ponytail":
        pen.line(
            "hair",
            darker(colour, 0.08),
            rx * 0.7,
            (x - rx * 0.9, y - ry * 0.5),
            (x - rx * 1.5, y + ry * 0.1),
            (x - rx * 1.45, y + ry),
        )
    elif look.style == "bun" and not look.hat:
        pen.disc("hair", darker(colour, 0.06), x - rx * 0.35, y - ry * 1.15, rx * 0.5)
    elif look.style == "curly":
        for angle in range(170, 371, 40):
            turn = math.radians(angle)
            pen.disc("hair", colour, x + rx * 0.88 * math.cos(turn), y - 0.5 + ry * 0.82 * math.sin(turn), rx * 0.46)
    pen.oval("hair", colour, x - rx * 0.06, y - ry * 0.12, rx * 1.1, ry * 1.02)


def _front_hair(pen: Pen, look: Look, x: float, y: float, rx: float, ry: float) -> None:
    colour = hair_colour(look)
    if look.style == "bald":
        pen.disc("hair", colour, x - rx * 0.95, y - ry * 0.02, rx * 0.2)
        return
    around = [math.radians(a) for a in range(165, 361, 15)]
    crown = [(x + rx * 1.04 * math.cos(a), y - ry * 0.02 + ry * 1.06 * math.sin(a)) for a in around]
    if look.female:
        line = [
            (x + rx * 0.86, y - ry * 0.34),
            (x + rx * 0.2, y - ry * 0.62),
            (x - rx * 0.45, y - ry * 0.32),
            (x - rx * 0.8, y + ry * 0.1),
        ]
    else:
        line = [(x + rx * 0.8, y - ry * 0.42), (x - rx * 0.5, y - ry * 0.46), (x - rx * 0.78, y - ry * 0.02)]
    pen.fill("hair", colour, *crown, *line)


def _hat(pen: Pen, hat: tuple[str, str], x: float, y: float, rx: float, ry: float) -> None:
    kind, colour = hat[0], NAMED[hat[1]]
    brow = y - ry * 0.42
    if kind == "hat":
        pen.block("hat", colour, x - rx * 0.86, y - ry * 1.5, x + rx * 0.86, brow, rx * 0.42)
        pen.line(
            "hat", darker(colour, 0.35), rx * 0.24, (x - rx * 0.74, brow - rx * 0.14), (x + rx * 0.74, brow - rx * 0.14)
        )
        pen.oval("hat", darker(colour, 0.08), x, brow, rx * 1.7, ry * 0.2)
    elif kind == "cap":
        _dome(pen, colour, x, brow, rx * 1.08, ry * 0.82)
        pen.line("hat", darker(colour, 0.12), rx * 0.26, (x + rx * 0.2, brow), (x + rx * 1.6, brow + ry * 0.06))
    elif kind == "beanie":
        _dome(pen, colour, x, brow, rx * 1.08, ry * 0.92)
        pen.line("hat", lighter(colour, 0.35), rx * 0.42, (x - rx * 0.92, brow), (x + rx * 0.92, brow))
        pen.disc("hat", lighter(colour, 0.6), x, brow - ry * 0.98, rx * 0.34)
    elif kind == "helmet":
        _dome(pen, colour, x, brow + ry * 0.1, rx * 1.2, ry * 1.0)
        pen.line(
            "hat", lighter(colour, 0.45), rx * 0.18, (x - rx * 0.55, brow - ry * 0.5), (x + rx * 0.5, brow - ry * 0.55)
        )
        pen.line(
            "hat", darker(colour, 0.3), rx * 0.18, (x - rx * 1.1, brow + ry * 0.1), (x + rx * 1.2, brow + ry * 0.1)
        )
    elif kind == "headscarf":
        _dome(pen, colour, x, y - ry * 0.2, rx * 1.2, ry * 0.98)
        pen.line(
            "hat",
            colour,
            rx * 0.55,
            (x - rx * 0.92, y - ry * 0.3),
            (x - rx * 0.85, y + ry * 0.6),
            (x - rx * 0.2, y + ry * 1.12),
        )
        pen.line("hat", darker(colour, 0.15), rx * 0.14, (x - rx * 0.9, y - ry * 0.35), (x + rx * 1.02, y - ry * 0.4))
    elif kind == "veil":
        pen.line(
            "hat", colour, rx * 0.7, (x - rx * 0.8, y - ry * 0.8), (x - rx * 1.3, y + ry), (x - rx * 1.7, y + ry * 4)
        )
        pen.line("hat", lighter(colour, 0.4), rx * 0.4, (x - rx * 0.7, y - ry * 0.85), (x + rx * 0.5, y - ry * 0.95))
    else:
        raise ValueError(f"no such hat: {kind!r}")


def _dome(pen: Pen, colour: tuple[int, ...], x: float, y: float, rx: float, height: float) -> None:
    around = [math.radians(a) for a in range(180, 361, 15)]
    pen.fill("hat", colour, *[(x + rx * math.cos(a), y + height * math.sin(a)) for a in around])


@dataclass(frozen=True, slots=True)
class Pose:
    """The places of hips, hands and feet, in hundredths of the body's height above the ground.

    The person looks to the right; the near arm and leg are those on the left of the picture. A hand that is None hangs.
    """

    hips: Point | None = None
    lean: float = 0.0
    near_hand: Point | None = None
    far_hand: Point | None = None
    near_foot: Point = (-4.5, 0.0)
    far_foot: Point = (4.5, 0.0)
    knees: int = 1
    smile: bool = True
    look_back: bool = False


STANDING = Pose()
WALKING = Pose(near_foot=(-9, 0), far_foot=(10, 0), near_hand=(-15, -50), far_hand=(15, -54), lean=1.5)


@dataclass(frozen=True, slots=True)
class Build:
    """The measures of a body."""

    hips: float
    torso: float
    shoulders: float
    waist: float
    arm: float
    arm_width: float
    leg_width: float
    head: tuple[float, float]


MAN = Build(hips=47, torso=32, shoulders=9.2, waist=6.8, arm=34, arm_width=6.2, leg_width=8.4, head=(6.8, 8.0))
WOMAN = Build(hips=48, torso=30, shoulders=7.6, waist=6.0, arm=32, arm_width=5.2, leg_width=7.4, head=(6.8, 7.8))
CHILD = Build(hips=38, torso=29, shoulders=8.4, waist=7.4, arm=29, arm_width=6.8, leg_width=9.0, head=(10.4, 11.2))


@dataclass(frozen=True, slots=True)
class DrawnPerson:
    """A drawn person. The arms are separate, so that a held thing can lie between body and arms."""

    body: list[Shape]
    arms: list[Shape]
    near_hand: Point
    far_hand: Point
    """The places of the hands, in pixels."""


def draw_person(look: Look, pose: Pose, x: float, foot_y: float, height: float, *, flip: bool = False) -> DrawnPerson:
    """The person with the soles at foot_y, `height` pixels tall when upright; looks to the left if flipped."""
    build = CHILD if look.child else WOMAN if look.female else MAN
    pen = Pen(x, foot_y, height / 100, flip=flip)
    hips = pose.hips or (0.0, -build.hips)
    chest = (hips[0] + pose.lean, hips[1] - math.sqrt(max(build.torso**2 - pose.lean**2, 1)))
    far_from = (chest[0] + build.shoulders - 1.5, chest[1] + 3.5)
    near_from = (chest[0] - build.shoulders + 1.5, chest[1] + 3.5)
    far_to = _within(far_from, pose.far_hand or (far_from[0] + 3.5, far_from[1] + build.arm), build.arm)
    near_to = _within(near_from, pose.near_hand or (near_from[0] - 3.5, near_from[1] + build.arm), build.arm)
    _legs(pen, look, pose, build, hips)
    _torso(pen, look, build, hips, chest)
    draw_head(pen, look, build.head, chest, pose.lean, smile=pose.smile, back=pose.look_back)
    arms = Pen(x, foot_y, height / 100, flip=flip)
    _arm(arms, look, build, far_from, far_to, 1, "far hand")
    _arm(arms, look, build, near_from, near_to, -1, "near hand")
    return DrawnPerson(pen.shapes, arms.shapes, pen.at(*near_to), pen.at(*far_to))


def _within(start: Point, end: Point, reach: float) -> Point:
    """The end, drawn nearer if the limb is too short for it."""
    far = math.dist(start, end)
    if far <= reach:
        return end
    return start[0] + (end[0] - start[0]) * reach / far, start[1] + (end[1] - start[1]) * reach / far


def _joint(start: Point, end: Point, length: float, side: int, bend: float = 0.5) -> Point:
    """The elbow or knee of a limb of two equal halves; the side says which way it bends (1: to the right).

    A limb that points towards us looks shorter than it is: it bends by no more than that share of its length.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    far = max(math.hypot(dx, dy), 0.01)
    out = min(math.sqrt(max((length / 2) ** 2 - (far / 2) ** 2, 0)), bend * length) * side
    return start[0] + dx / 2 + dy / far * out, start[1] + dy / 2 - dx / far * out


def _elbow(start: Point, hand: Point, length: float, outwards: int) -> Point:
    """Return the elbow that hangs lowest, rather away from the body than across it."""
    both = [_joint(start, hand, length, side, 0.2) for side in (-1, 1)]
    return max(both, key=lambda elbow: elbow[1] + 1.2 * outwards * elbow[0])


def _legs(pen: Pen, look: Look, pose: Pose, build: Build, hips: Point) -> None:
    for foot, dx, shade in ((pose.far_foot, 3.4, 0.14), (pose.near_foot, -3.4, 0.0)):
        start = (hips[0] + dx, hips[1] + 1)
        ankle = (foot[0], foot[1] - 4.5)
        knee = _joint(start, ankle, build.hips - 5.3, pose.knees)
        bare = look.top[0] == "dress" or look.bottom[0] in ("skirt", "shorts")
        cloth = darker(NAMED[look.bottom[1]], shade)
        skin = darker(look.skin, shade * 0.6)
        width = build.leg_width
        pen.line("legs" if bare else "bottom", skin if bare else cloth, width * (0.72 if bare else 0.86), knee, ankle)
        shorts = look.bottom[0] == "shorts" and look.top[0] != "dress"
        upper = cloth if shorts or not bare else skin
        end = (start[0] + (knee[0] - start[0]) * 0.85, start[1] + (knee[1] - start[1]) * 0.85) if shorts else knee
        pen.line("bottom" if shorts or not bare else "legs", upper, width, start, end)
        shoe = darker((96, 70, 60) if look.bottom[1] != "brown" else (60, 56, 70), shade)
        pen.line("shoes", shoe, 4.6, (foot[0] - 0.8, foot[1] - 2.3), (foot[0] + 4.2, foot[1] - 2.3))


def _torso(pen: Pen, look: Look, build: Build, hips: Point, chest: Point) -> None:
    kind, colour = look.top[0], NAMED[look.top[1]]
    (hx, hy), (cx, cy) = hips, chest
    wide, waist, rounding = build.shoulders - 3, build.waist - 2, 3.0
    dressed = look.bottom[0] == "skirt" and kind != "dress"
    if dressed:
        _skirt(pen, "bottom", NAMED[look.bottom[1]], hips, build, 18)
    elif kind == "dress":
        _skirt(pen, "top", colour, hips, build, 27)
    elif kind == "coat":
        hem = ((hx + waist + 2.5, hy + 13), (hx - waist - 2.5, hy + 13))
        pen.fill("top", colour, (cx - wide, cy + 3), (cx + wide, cy + 3), *hem, round_by=rounding)
        pen.line("top", darker(colour, 0.2), 0.8, (cx + 1.5, cy + 4), (hx + 1.5, hy + 15))
    outline = ((cx - wide, cy + 3), (cx + wide, cy + 3), (hx + waist, hy), (hx - waist, hy))
    pen.fill("top", colour, *outline, round_by=rounding)
    if kind == "shirt":
        pen.fill("top", lighter(colour, 0.5), (cx - 3, cy), (cx + 3.4, cy), (cx + 0.6, cy + 5))
        pen.line("top", darker(colour, 0.18), 0.7, (cx + 0.6, cy + 5), (hx + 0.6, hy + 2))
    elif kind == "sweater":
        for share in (0.42, 0.56):
            y, x = cy + (hy - cy) * share, cx + (hx - cx) * share
            pen.line("top", lighter(colour, 0.55), 1.7, (x - wide + 0.6, y), (x + wide - 0.6, y))
    elif kind == "jacket":
        pen.fill("top", lighter(colour, 0.7), (cx - 2.2, cy), (cx + 3.2, cy), (hx + 1.6, hy + 2), (hx - 0.6, hy + 2))
    if look.apron:
        shade = NAMED[look.apron[1]]
        corners = ((cx - 4, cy + 10), (cx + 5, cy + 10), (hx + waist + 1, hy + 12), (hx - waist - 1, hy + 12))
        pen.fill("apron", shade, *corners, round_by=1.5)
        pen.line("apron", shade, 1.4, (cx - 4, cy + 10), (cx - 3, cy + 1))
        pen.line("apron", shade, 1.4, (cx + 5, cy + 10), (cx + 4, cy + 1))
    if look.scarf:
        shade = NAMED[look.scarf[1]]
        pen.line("scarf", darker(shade, 0.12), 4.2, (cx - 3.5, cy + 2), (cx - 5.5, cy + 15))
        pen.line("scarf", shade, 5.4, (cx - 5, cy), (cx, cy + 1.5), (cx + 5.4, cy))


def _skirt(pen: Pen, part: str, colour: Colour, hips: Point, build: Build, long: float) -> None:
    (hx, hy), w = hips, build.waist
    hem = ((hx + w + 4, hy + long - 2), (hx - w - 4, hy + long - 2))
    pen.fill(part, colour, (hx - w + 2, hy - 4), (hx + w - 2, hy - 4), *hem, round_by=2)
    pen.line(part, darker(colour, 0.1), 0.9, (hx - 2.5, hy + 4), (hx - 4.5, hy + long - 1))
    pen.line(part, darker(colour, 0.1), 0.9, (hx + 2.5, hy + 4), (hx + 5, hy + long - 1))


def _arm(pen: Pen, look: Look, build: Build, start: Point, hand: Point, outwards: int, part: str) -> None:
    colour = darker(NAMED[look.top[1]], 0.1 if part == "near hand" else 0.2)
    skin = look.skin if part == "near hand" else mix(look.skin, (34, 30, 62), 0.06)
    elbow = _elbow(start, hand, build.arm, outwards)
    short = look.top[0] in ("t-shirt", "dress")
    width = build.arm_width
    pen.line("arms" if short else "top", skin if short else colour, width * (0.74 if short else 0.9), elbow, hand)
    if short:
        pen.line("arms", skin, width * 0.76, start, elbow)
        elbow = (start[0] + (elbow[0] - start[0]) * 0.6, start[1] + (elbow[1] - start[1]) * 0.6)
    pen.line("top", colour, width, start, elbow)
    pen.disc(part, skin, hand[0], hand[1], width * 0.52)


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
