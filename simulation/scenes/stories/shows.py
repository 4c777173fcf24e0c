"""Shows: a concert before a crowd, and an afternoon with music in a cafe."""

from random import Random

from simulation.scenes import animals, backdrops, things
from simulation.scenes.look import random_look
from simulation.scenes.palette import BRIGHT, NAMED, darker, lighter
from simulation.scenes.people import Pose, crowd
from simulation.scenes.playing import WOOD, drums, plays_accordion, plays_guitar, plays_trumpet
from simulation.scenes.shapes import Band, Blob, Colour, Layer, Pen
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import a, pronouns


def concert_backdrop(rng: Random) -> list[Layer]:
    """A stage with a curtain, spotlights and a floor of boards."""
    layers: list[Layer] = [Band(0, 560, (44, 30, 84), (138, 66, 122))]
    pen = Pen(0, 0, 1)
    for i in range(24):
        x = i * 52
        pen.fill(
            "curtain", (96 + (i % 2) * 14, 44, 98 + (i % 2) * 10), (x, 0), (x + 52, 0), (x + 50, 552), (x + 4, 552)
        )
    layers += [*pen.shapes, Band(540, 660, (150, 96, 92), (112, 70, 84)), Band(660, 800, (54, 38, 78), (34, 26, 56))]
    for x, lean, colour in (
        (150, 170, (255, 226, 150)),
        (460, 40, (250, 180, 200)),
        (760, -40, (170, 210, 250)),
        (1060, -180, (255, 226, 150)),
    ):
        foot = ((x - 14, 30), (x + 14, 30), (x + lean + 130, 600), (x + lean - 130, 600))
        layers.append(Blob("beam", (*colour, 44), 0, foot, True))
        layers += backdrops.glow(x, 34, 90, colour)
    lamps = Pen(0, 0, 1)
    lamps.line("rig", (34, 30, 52), 12, (0, 14), (1200, 14))
    for x in (150, 460, 760, 1060):
        lamps.fill("lamp", (34, 30, 52), (x - 16, 12), (x + 16, 12), (x + 22, 38), (x - 22, 38), round_by=3)
        lamps.oval("lamp", (255, 246, 214), x, 40, 20, 6)
    return [*layers, *lamps.shapes]


def concert(stage: SceneStage) -> None:
    """A guitarist at the microphone, a drummer and a trumpeter play to a crowd."""
    rng = stage.rng
    star = random_look(
        rng, rng.choice(("man", "woman")), old=False, wear={"hat": rng.choice((None, None, ("hat", "red")))}
    )
    drummer = random_look(rng, rng.choice(("man", "woman")), old=False, wear={"hat": ("beanie", rng.choice(BRIGHT))})
    horn = random_look(
        rng,
        rng.choice(("woman", "man")),
        wear={"top": ("jacket", rng.choice(("red", "blue", "green"))), "hat": ("hat", "black")},
    )
    he, his = pronouns(star)
    _, horn_his = pronouns(horn)
    shell = rng.choice(("red", "blue", "orange", "purple"))
    stage.whole_person("drummer", drummer, Pose(near_hand=(-17, -63), far_hand=(19, -62)), 602, 566, 282)
    stage.hidden_below["drummer"] = 408
    stage.put("drums", drums(602, 612, 300, NAMED[shell]))
    wood = rng.choice(("brown", "red", "black"))
    plays_guitar(stage, "star", star, 330, 644, 360, darker(NAMED[wood], 0.04) if wood != "brown" else WOOD)
    stage.put("microphone", things.microphone(372, 650, 322))
    plays_trumpet(stage, "horn", horn, 880, 642, 348)
    stage.put("crowd", crowd(rng, 40, 1160, 796, 54, dim=0.34, cheering=True))
    stage.name("drums", "instruments", ("+the drums", "+drums", a(f"{shell} drum set")), "drums")
    stage.name(
        "guitar", "instruments", ("a guitar", a(f"{wood} guitar"), f"{his} guitar", "an electric guitar"), "guitar"
    )
    stage.name("trumpet", "instruments", ("a trumpet", "the trumpet", f"{horn_his} trumpet"), "trumpet")
    stage.name("microphone", "other", ("a microphone", "the microphone", "a microphone stand"), "microphone")
    stage.name("crowd", "people", ("a crowd", "a large crowd", "a crowd of people", "the audience"), "crowd")
    stage.name("band", "people", ("a band", "+three musicians", "a rock band", "+musicians"), "star", "drummer", "horn")
    stage.name_scene("stage", "the stage", "a stage", "a concert stage")
    stage.name("song", "other", ("a song", "a love song", "an old song"))
    stage.speak(
        [
            "[band] performs/perform on [stage] in front of [crowd]",
            "[star] plays [guitar] and sings [song] into [microphone]",
        ],
        [
            "[crowd] (watches|is watching) [star] with [guitar] , [drummer] and [horn]",
            "[drummer] in [drummer.hat] (plays|is playing) [drums] behind [star]",
            "[horn] in [horn.top] plays [trumpet] on [stage] while [crowd!] cheers/cheer",
            f"[star] in [star.top] sings while <{he}> plays [guitar]",
            "[band] plays/play [song] for [crowd]",
            "[drummer] plays [drums] and [horn] wearing [horn.hat] blows [trumpet]",
            "[star] stands at [microphone] next to [drums] and puts [star.hand] on [guitar]",
        ],
    )


def cafe_backdrop(rng: Random) -> list[Layer]:
    """A warm room with a window, pictures and hanging lamps."""
    wall: Colour = rng.choice(((236, 200, 160), (206, 214, 190), (240, 206, 176)))
    layers = backdrops.room(rng, 590, wall, (190, 138, 100))
    pen = Pen(0, 0, 1)
    pen.block("window", (250, 246, 236), 60, 90, 430, 400, 6)
    pen.block("window", (176, 214, 226), 74, 104, 416, 386)
    for x, tall, shade in ((80, 130, (206, 192, 186)), (180, 190, (190, 186, 194)), (290, 150, (214, 198, 182))):
        pen.block("window", shade, x, 386 - tall, x + 100, 386)
    pen.block("window", (250, 246, 236), 240, 96, 252, 396)
    pen.block("window", (250, 246, 236), 50, 396, 440, 412, 4)
    for x, shade in ((510, (222, 130, 104)), (596, (118, 158, 150))):
        pen.block("frame", (126, 88, 66), x, 150, x + 66, 236, 2)
        pen.block("frame", lighter(shade, 0.3), x + 7, 157, x + 59, 229)
        pen.disc("frame", shade, x + 33, 196, 18)
    for y in (130, 214):
        pen.block("shelf", (140, 98, 72), 760, y + 56, 1150, y + 66, 3)
        for i in range(13):
            shade = ((120, 160, 130), (206, 110, 90), (228, 186, 100), (130, 150, 180))[(i * 3 + y // 10) % 4]
            tall = 30 + (i * 7 + y) % 20
            pen.block("bottle", shade, 772 + i * 28, y + 56 - tall, 790 + i * 28, y + 56, 4)
            pen.block("bottle", shade, 778 + i * 28, y + 46 - tall, 784 + i * 28, y + 60 - tall)
    for x in (250, 640, 1010):
        pen.line("cord", (80, 66, 66), 3, (x, 0), (x, 70))
        pen.fill("shade", (208, 96, 76), (x - 12, 66), (x + 12, 66), (x + 40, 104), (x - 40, 104), round_by=3)
        pen.oval("shade", (255, 240, 196), x, 106, 38, 8)
    layers += pen.shapes
    for x in (250, 640, 1010):
        layers += backdrops.glow(x, 120, 130, (255, 240, 190))
    return layers


def _counter(x: float, y: float, width: float) -> Pen:
    """The bar of the cafe: x is its left end."""
    pen = Pen(x, y, 1)
    pen.block("counter", (148, 98, 74), 8, -176, width - 8, 0, 4)
    for i in range(4):
        left = 26 + i * (width - 40) / 4
        pen.block("counter", (170, 118, 88), left, -150, left + (width - 40) / 4 - 14, -22, 4)
    pen.block("counter", (98, 66, 56), 0, -192, width, -172, 6)
    return pen


def _chair(x: float, y: float, *, flip: bool = False) -> Pen:
    """A chair whose back is on the left."""
    pen = Pen(x, y, 1, flip=flip)
    wood: Colour = (116, 78, 62)
    for dx in (-34, 34):
        pen.line("legs", darker(wood, 0.15), 8, (dx, -4), (dx * 0.9, -90))
    pen.line("back", wood, 9, (-32, -94), (-42, -206))
    pen.line("back", wood, 9, (-40, -180), (-37, -150))
    pen.block("seat", wood, -42, -100, 40, -86, 6)
    return pen


def cafe(stage: SceneStage) -> None:
    """Two guests at a table, a waiter behind the bar, and an accordion."""
    rng = stage.rng
    lady = random_look(rng, "woman", wear={"hat": None, "top": ("sweater", rng.choice(BRIGHT))})
    guest = random_look(rng, "man", wear={"hat": None, "top": ("shirt", rng.choice(BRIGHT))})
    waiter = random_look(
        rng,
        rng.choice(("man", "woman")),
        wear={"hat": None, "top": ("shirt", "white"), "apron": ("apron", rng.choice(("green", "red", "black")))},
    )
    player = random_look(
        rng,
        "man",
        wear={
            "hat": ("hat", rng.choice(("brown", "black", "blue"))),
            "scarf": ("scarf", rng.choice(("red", "yellow"))),
        },
    )
    he, his = pronouns(player)
    waiting = stage.person("waiter", waiter, Pose(far_hand=(18, -64)), 960, 660, 356, flip=True)
    stage.put("tray", things.cup(waiting.far_hand[0], waiting.far_hand[1] - 4, 44, (250, 248, 242)))
    stage.put("waiter", waiting.arms)
    stage.hidden_below["waiter"] = 476
    stage.put("bar", _counter(770, 668, 410).shapes)
    stage.put("cat", animals.cat(1096, 478, 92, (84, 78, 86)))
    seated = Pose(hips=(0, -29), far_hand=(22, -44), near_hand=(18, -42), near_foot=(22, 0), far_foot=(27, 0))
    for key, look, x, flip in (("lady", lady, 150, False), ("guest", guest, 530, True)):
        stage.put(f"{key} chair", _chair(x, 730, flip=flip).shapes)
        stage.whole_person(key, look, seated, x, 730, 372, flip=flip)
    cloth = rng.choice(("white", "red", "yellow"))
    stage.put("table", things.round_table(340, 752, 270, NAMED[cloth]))
    for i, x in enumerate((284, 396)):
        stage.put(f"cup {i}", things.cup(x, 598, 46, (250, 248, 242) if cloth != "white" else (206, 110, 90)))
    case = rng.choice(("red", "blue", "green"))
    plays_accordion(stage, "player", player, 700, 774, 396, NAMED[case])
    stage.name("bar", "scene,other", ("the bar", "the bar", "a wooden bar"), "bar")
    stage.name("cat", "animals", ("a cat", "a black cat", "a small cat"), "cat")
    stage.name("table", "other", ("a table", "a round table", "a small table"), "table")
    stage.name("cups", "other", ("+two cups of coffee", "+cups of coffee", "coffee"), "cup 0", "cup 1")
    stage.name("accordion", "instruments", ("an accordion", a(f"{case} accordion"), f"{his} accordion"), "accordion")
    stage.name_pair("guests", ("lady", lady), ("guest", guest))
    stage.name_scene("cafe", "a cafe", "the cafe", "a cozy cafe")
    stage.name("talk", "other", ("a conversation", "a chat"))
    stage.speak(
        [
            "[lady] and [guest] sit at [table] and talk to <each_other> in [cafe]",
            "[player] plays [accordion] near [bar] while [guests!] listen",
        ],
        [
            "[waiter] in [waiter.apron] works behind [bar]",
            "[lady] with [lady.hair] and [guest] in [guest.top] are having [cups]",
            f"[player] wearing [player.hat] and [player.scarf] smiles as <{he}> plays [accordion]",
            "[waiter] stands at [bar] , and [cat!] sits/sit on <it>",
            "[guests] are having [talk] over [cups] at [table]",
            "[lady] in [lady.top] sits across from [guest] in [cafe]",
            "[player] with [accordion] entertains [lady] and [guest] at [table]",
        ],
    )
