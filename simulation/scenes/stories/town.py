"""Towns: a street by day, a square by night, and a market in the desert."""

from random import Random

from simulation.scenes import animals, backdrops, things, vehicles
from simulation.scenes.look import random_look
from simulation.scenes.palette import BRIGHT, NAMED, darker, lighter
from simulation.scenes.people import WALKING, Pose, crowd
from simulation.scenes.playing import holds_umbrella, plays_violin, rides_bicycle
from simulation.scenes.shapes import Band, Layer, Pen
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
    stage.put("bus", vehicles.bus(800, 656, 560, NAMED[bus]))
    stage.put("car", vehicles.car(220, 712, 290, NAMED[car]))
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
    stage.put("car", vehicles.car(960, 712, 330, NAMED[paint], flip=True, lit=True))
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
    stage.put("camel", animals.camel(1030, 716, 310, (214, 168, 110), flip=True))
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
