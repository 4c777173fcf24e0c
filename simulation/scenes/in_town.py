"""Stories in town: a street by day, a square by night, a desert market, a concert before a crowd, music in a cafe."""

from random import Random

from simulation.scenes import backdrops, things
from simulation.scenes.people import WALKING, Pose, crowd, random_look
from simulation.scenes.playing import (
    WOOD,
    drums,
    holds_umbrella,
    plays_accordion,
    plays_guitar,
    plays_trumpet,
    plays_violin,
    rides_bicycle,
)
from simulation.scenes.shapes import BRIGHT, NAMED, Band, Blob, Colour, Layer, Pen, darker, lighter
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import a, pronouns


def street_backdrop(rng: Random) -> list[Layer]:
    """A row of houses along a road."""
    layers = backdrops.sky((156, 204, 228), (238, 240, 226), 400) + backdrops.clouds(rng, 3, 70, 150)
    layers += backdrops.houses(rng, 420, 250, (222, 234, 236), 0.5) + backdrops.houses(
        rng, 520, 300, (222, 234, 236), 0.08
    )
    for x in (70, 1130):
        layers += backdrops.tree(x, 545, 260, (126, 172, 112))
    return layers + backdrops.road(516, 588)


def street(stage: SceneStage) -> None:
    """A cyclist before a bus, a car, and people on the pavement."""
    rng = stage.rng
    rider = random_look(rng, rng.choice(("woman", "man")), old=False, wear={"hat": ("helmet", rng.choice(BRIGHT))})
    walker = random_look(rng, rng.choice(("woman", "man")), wear={"top": ("coat", rng.choice(BRIGHT)), "hat": None})
    child = random_look(rng, rng.choice(("boy", "girl")), wear={"hat": ("beanie", rng.choice(BRIGHT))})
    _, his = pronouns(rider)
    stage.put("lamp", things.lamp(420, 568, 330))
    grown = stage.whole_person("walker", walker, Pose(near_hand=(-15, -52)), 200, 578, 246)
    stage.whole_person("child", child, Pose(far_hand=(24, -62)), grown.near_hand[0] - 32, 580, 142)
    bus, car, frame = rng.sample(BRIGHT, 3)
    stage.put("bus", things.bus(800, 656, 560, NAMED[bus]))
    stage.put("car", things.car(220, 712, 290, NAMED[car]))
    rides_bicycle(stage, "rider", rider, 640, 772, 350, NAMED[frame])
    stage.name("lamp", "other", ("a street lamp", "a lamp post", "a street light"), "lamp")
    stage.name("bus", "vehicles", (a(f"{bus} bus"), "a bus", "a city bus"), "bus")
    stage.name("car", "vehicles", (a(f"{car} car"), "a car", a(f"small {car} car")), "car")
    stage.name("bicycle", "vehicles", ("a bicycle", "a bike", f"{his} bike", a(f"{frame} bicycle")), "bicycle")
    stage.name("traffic", "vehicles", ("traffic", "heavy traffic"), "bus", "car")
    stage.name_pair("family", ("walker", walker), ("child", child), "+pedestrians", "+people")
    stage.name_scene("street", "the street", "a city street", "a busy street", "the road")
    stage.name("ride", "other", ("a ride", "a bike ride"))
    stage.speak(
        [
            "[rider] in [rider.hat] (rides|is riding) [bicycle] past [bus] on [street]",
            "[rider] on [bicycle] goes for [ride] through [traffic]",
        ],
        [
            "[walker] in [walker.top] walks along with [child] behind [car]",
            "[family] stand near [lamp] and watch [rider!] ride [bicycle]",
            "[car] follows [bus] down [street] while [family!] wait by [lamp]",
            "[rider] wearing [rider.hat] and [rider.top] is pedaling down [street]",
            "[child] in [child.hat] points at [bus] in front of <them>",
            "[rider] rides [bicycle] between [car] and [bus]",
        ],
    )


def night_backdrop(rng: Random) -> list[Layer]:
    """A town square at night under the moon."""
    layers = backdrops.sky((34, 36, 84), (116, 92, 138), 560)
    pen = Pen(0, 0, 1)
    for _ in range(60):
        pen.disc("star", (228, 228, 246), rng.uniform(0, 1200), rng.uniform(0, 330), rng.uniform(0.8, 2))
    layers += [*pen.shapes, *backdrops.sun(930, 120, 44, (250, 240, 208))]
    layers += backdrops.skyline(rng, 560, 400, (74, 70, 124), 0.28) + backdrops.skyline(
        rng, 572, 250, (52, 50, 100), 0.4
    )
    layers += backdrops.road(560, 660, night=True)
    return layers + backdrops.glow(262, 330, 210) + backdrops.glow(1110, 380, 170)


def night(stage: SceneStage) -> None:
    """A violinist under a lamp, two people under one umbrella, a car with its lights on."""
    rng = stage.rng
    player = random_look(
        rng,
        rng.choice(("man", "woman")),
        wear={
            "hat": ("hat", rng.choice(("red", "purple", "brown"))),
            "top": ("coat", rng.choice(("red", "green", "orange"))),
        },
    )
    woman = random_look(rng, "woman", wear={"top": ("dress", rng.choice(("red", "yellow", "pink"))), "hat": None})
    man = random_look(rng, "man", wear={"top": ("jacket", rng.choice(("gray", "blue"))), "hat": None})
    _, his = pronouns(player)
    stage.put("lamp 2", things.lamp(1110, 600, 230, lit=True))
    paint = rng.choice(("red", "yellow", "orange", "green"))
    stage.put("car", things.car(960, 712, 330, NAMED[paint], flip=True, lit=True))
    stage.put("lamp", things.lamp(262, 690, 400, lit=True))
    plays_violin(stage, "player", player, 330, 752, 380)
    stage.put("basket", things.basket(480, 764, 70, (240, 200, 90)))
    stage.whole_person("man", man, Pose(), 716, 760, 392, flip=True)
    shade = rng.choice(BRIGHT)
    holds_umbrella(stage, "woman", woman, 620, 762, 368, NAMED[shade])
    stage.name("violin", "instruments", ("a violin", "the violin", f"{his} violin"), "violin")
    stage.name("lamp", "other", ("a street lamp", "a lamp", "a glowing street light"), "lamp")
    stage.name("lamps", "other", ("+street lamps", "+two lamps"), "lamp", "lamp 2")
    stage.name("car", "vehicles", (a(f"{paint} car"), "a car", "a parked car"), "car")
    stage.name("umbrella", "other", (a(f"{shade} umbrella"), "an umbrella", "a big umbrella"), "umbrella")
    stage.name("basket", "other", ("a basket of coins", "a basket"), "basket")
    stage.name("couple", "people", ("a couple", "a couple", "a young couple"), "woman", "man")
    stage.name("pair", "people", ("+two people", "+two listeners", "+two passersby"), "woman", "man")
    stage.name_scene("night", "the city", "a city square", "the street")
    stage.name("song", "other", ("a song", "a slow tune", "music"))
    stage.speak(
        [
            "[player] in [player.hat] (plays|is playing) [song] on [violin] for [couple]",
            "[woman] and [man] (share|are sharing) [umbrella] in [night]",
        ],
        [
            "[pair] (listen|are listening) to [player!] , who plays/play [violin] under [lamp]",
            "[player] wearing [player.top] plays [violin] beside [basket]",
            "[woman] with [woman.hair] holds [umbrella] in [woman.hand]",
            "[car] stands/stand in [night] behind [couple]",
            "[man] in [man.top] stands next to [woman] in [woman.top]",
            "[player] performs under [lamp] with [car] in <the_background>",
            "[lamps] light up [night] as [player!] plays/play [song]",
        ],
    )


def market_backdrop(rng: Random) -> list[Layer]:
    """Clay houses and dunes around a square of sand."""
    layers = backdrops.sky((250, 206, 150), (255, 238, 206), 420) + backdrops.sun(
        rng.uniform(200, 1000), 150, 60, (255, 246, 220)
    )
    layers += backdrops.hills(rng, 430, 120, (238, 196, 148), 2.4)
    pen = Pen(0, 0, 1)
    x = -20.0
    while x < 1200:
        wide, tall = rng.uniform(110, 200), rng.uniform(100, 230)
        clay = lighter((216, 158, 114), rng.uniform(0, 0.35))
        pen.block("house", clay, x, 500 - tall, x + wide, 520)
        if rng.random() < 0.35:
            pen.disc("house", darker(clay, 0.07), x + wide / 2, 500 - tall, wide * 0.3)
        for wx in range(int(x) + 24, int(x + wide) - 20, 48):
            pen.block("window", darker(clay, 0.4), wx, 520 - tall, wx + 16, 550 - tall, 6)
        x += wide
    layers += [*pen.shapes, Band(510, 800, (240, 210, 160), (222, 180, 126))]
    return layers + backdrops.palm(60, 540, 330) + backdrops.palm(1150, 530, 280)


def _stall(x: float, y: float, cloth: str) -> list[Layer]:
    """A stall with an awning, 330 pixels wide."""
    pen = Pen(x, y, 1)
    for side in (-150, 150):
        pen.line("post", (132, 92, 66), 9, (side, -5), (side, -390))
    pen.block("counter", (176, 126, 84), -165, -118, 165, -2, 4)
    pen.block("counter", (200, 150, 104), -172, -128, 172, -110, 4)
    for i in range(8):
        shade = NAMED[cloth] if i % 2 else NAMED["white"]
        left = -184 + i * 46
        pen.fill(
            "awning",
            shade,
            (left * 0.86, -424),
            ((left + 46) * 0.86, -424),
            (left + 46, -366),
            (left + 23, -350),
            (left, -366),
        )
    return list(pen.shapes)


def _wall(left: float, top: float, right: float) -> Pen:
    """A low wall of clay."""
    pen = Pen(0, 0, 1)
    pen.block("wall", (206, 152, 108), left, top, right + 400, top + 46)
    pen.block("wall", (228, 178, 132), left - 6, top - 6, right + 400, top + 8, 4)
    return pen


def market(stage: SceneStage) -> None:
    """A seller at a stall, women shopping, a camel, and a crowd between the houses."""
    rng = stage.rng
    seller = random_look(
        rng,
        "man",
        wear={
            "hat": ("cap", rng.choice(("white", "red", "green"))),
            "apron": ("apron", rng.choice(("white", "blue", "brown"))),
        },
    )
    first = random_look(
        rng,
        "woman",
        wear={
            "top": ("dress", rng.choice(("red", "purple", "orange"))),
            "hat": ("headscarf", rng.choice(("blue", "green", "pink"))),
        },
    )
    second = random_look(
        rng,
        "woman",
        wear={
            "top": ("dress", rng.choice(("blue", "green", "pink"))),
            "hat": ("headscarf", rng.choice(("yellow", "red", "purple"))),
        },
    )
    stage.put("crowd", crowd(rng, 420, 900, 572, 38, dim=0.06))
    stage.put("wall", _wall(380, 560, 820).shapes)
    stage.put("camel", things.camel(1030, 716, 310, (214, 168, 110), flip=True))
    cloth = rng.choice(("red", "green", "blue", "orange"))
    stage.whole_person("seller", seller, Pose(near_hand=(-18, -60), far_hand=(16, -58)), 210, 706, 318)
    stall = [shape for shape in _stall(210, 716, cloth) if not isinstance(shape, Band)]
    stage.hidden_below["seller"] = 588
    stage.put("stall", stall)
    for i, fruit in enumerate(((240, 150, 60), (200, 70, 64), (142, 172, 84))):
        stage.put(f"basket {i}", things.basket(105 + i * 104, 604, 84, fruit))
    stage.whole_person("second", second, WALKING, 690, 756, 350)
    shopper = stage.person("first", first, Pose(far_hand=(15, -44)), 510, 766, 368, flip=True)
    stage.put("bag", things.basket(shopper.far_hand[0], shopper.far_hand[1] + 56, 78, (240, 170, 90), in_hand=True))
    stage.put("first", shopper.arms)
    stage.name_pair("women", ("first", first), ("second", second))
    _name_wares(stage, cloth)
    stage.speak(
        [
            "[seller] works at [stall] while [crowd!] fills/fill [market]",
            "[first] in [first.hat] carries [bag] through [market]",
        ],
        [
            "[women] wearing [dresses] (are shopping|shop) at [market]",
            "[seller] in [seller.apron] stands behind [baskets]",
            "[first] in [first.top] asks [seller] for [prices]",
            "[camel] waits behind [second] in [second.top]",
            "[women] walk past [stall] with [baskets]",
            "[second] with [second.hat] walks away from [crowd] , next to [camel]",
            "[seller] wearing [seller.hat] shows [baskets] to [first]",
        ],
    )


def _name_wares(stage: SceneStage, cloth: str) -> None:
    """Describe the things at the market, without its people."""
    stage.name("crowd", "people", ("a crowd", "a crowd of people", "a large crowd"), "crowd")
    stage.name("camel", "animals", ("a camel", "a resting camel", "the camel"), "camel")
    stage.name("stall", "other", ("a market stall", "a stall", a(f"{cloth} striped stall")), "stall")
    stage.name(
        "baskets", "other", ("+baskets of fruit", "+three baskets", "+full baskets"), "basket 0", "basket 1", "basket 2"
    )
    stage.name("bag", "other", ("a basket of oranges", "her basket", "a basket"), "bag")
    tops = [(key, frozenset({"top"})) for key in ("first", "second")]
    stage.name("dresses", "clothing", ("+long dresses", "+colorful dresses", "+dresses"), *tops)
    stage.name_scene("market", "the market", "an outdoor market", "a desert market")
    stage.name("prices", "other", ("a good price", "the price"))


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
    stage.put("cat", things.cat(1096, 478, 92, (84, 78, 86)))
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
