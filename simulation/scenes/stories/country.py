"""The country: a farm in summer and a hill in the snow."""

from random import Random

from simulation.scenes import animals, backdrops, things, vehicles
from simulation.scenes.look import random_look
from simulation.scenes.palette import BRIGHT, NAMED, darker
from simulation.scenes.people import Pose
from simulation.scenes.shapes import Band, Layer, Pen
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import a, pronouns

HORSES = {"brown": (150, 96, 66), "white": (238, 232, 224), "black": (74, 66, 74)}


def farm_backdrop(rng: Random) -> list[Layer]:
    """Fields, a barn and a fence."""
    layers = (
        backdrops.sky((150, 206, 232), (244, 240, 214), 400)
        + backdrops.sun(rng.uniform(100, 300), 110, 44)
        + backdrops.clouds(rng, 4, 90, 200)
    )
    layers += backdrops.hills(rng, 420, 110, (190, 208, 158)) + backdrops.hills(rng, 450, 80, (222, 204, 128), 2.6)
    layers += backdrops.hills(rng, 478, 50, (164, 194, 116), 1.4)
    pen = Pen(960, 520, 1)
    pen.block("barn", (186, 84, 72), -120, -150, 120, 0)
    pen.fill("barn", (186, 84, 72), (-120, -148), (-70, -214), (0, -246), (70, -214), (120, -148))
    pen.line("barn", (112, 66, 66), 12, (-128, -142), (-74, -216), (0, -250), (74, -216), (128, -142))
    pen.block("barn", (246, 236, 222), -44, -96, 44, 0)
    pen.block("barn", (150, 64, 60), -37, -89, 37, 0)
    pen.line("barn", (246, 236, 222), 7, (-36, -88), (36, -3))
    pen.line("barn", (246, 236, 222), 7, (36, -88), (-36, -3))
    pen.disc("barn", (246, 236, 222), 0, -178, 24)
    pen.disc("barn", (112, 66, 66), 0, -178, 17)
    layers += [
        *pen.shapes,
        *backdrops.tree(770, 530, 210, (118, 166, 100)),
        *backdrops.grass(rng, 512, (170, 202, 118), (124, 172, 92)),
    ]
    fence = Pen(0, 0, 1)
    for x in range(-20, 1240, 92):
        fence.block("fence", (242, 234, 220), x, 496, x + 13, 572, 3)
    for y in (514, 540):
        fence.block("fence", darker((242, 234, 220), 0.05), -20, y, 1220, y + 10, 3)
    return [*layers, *fence.shapes]


def farm(stage: SceneStage) -> None:
    """Somebody on horseback, a farmer with a basket, a cow, sheep and a tractor."""
    rng = stage.rng
    rider = random_look(
        rng, rng.choice(("woman", "man")), old=False, wear={"hat": ("hat", rng.choice(("brown", "black", "white")))}
    )
    farmer = random_look(
        rng, "man", wear={"hat": ("cap", rng.choice(BRIGHT)), "top": ("shirt", rng.choice(("red", "blue", "green")))}
    )
    _, his = pronouns(rider)
    paint = rng.choice(("red", "green", "blue"))
    stage.put("tractor", vehicles.tractor(1050, 632, 260, NAMED[paint]))
    stage.put("cow", animals.cow(140, 640, 220, NAMED["white"]))
    stage.put("sheep 1", animals.sheep(960, 738, 126))
    stage.put("sheep 2", animals.sheep(1100, 772, 142, flip=True))
    coat = rng.choice(list(HORSES))
    stage.put("horse", animals.horse(474, 752, 330, HORSES[coat]))
    unit = 3.2
    saddle = 752 - 83.5 * 3.3
    pose = Pose(hips=(0, -47), near_hand=(20, -52), far_hand=(22, -53), near_foot=(7, -8), far_foot=(7, -8), lean=1)
    stage.whole_person("rider", rider, pose, 460, saddle + 47 * unit, unit * 100)
    farming = stage.person("farmer", farmer, Pose(far_hand=(17, -50), near_hand=(2, -48)), 826, 744, 362)
    stage.put(
        "basket", things.basket(farming.far_hand[0] - 26, farming.far_hand[1] + 36, 92, (206, 76, 66), in_hand=True)
    )
    stage.put("farmer", farming.arms)
    stage.name("tractor", "vehicles", (a(f"{paint} tractor"), "a tractor", "an old tractor"), "tractor")
    stage.name("cow", "animals", ("a cow", "a spotted cow", "a brown and white cow"), "cow")
    stage.name("sheep", "animals", ("+two sheep", "+sheep", "+some sheep"), "sheep 1", "sheep 2")
    stage.name("horse", "animals", (a(f"{coat} horse"), "a horse", f"{his} horse"), "horse")
    stage.name("basket", "other", ("a basket of apples", "a basket", "+apples"), "basket")
    stage.name("animals", "animals", ("+animals", "+farm animals"), "cow", "sheep 1", "sheep 2", "horse")
    stage.name_pair("people", ("rider", rider), ("farmer", farmer))
    stage.name_scene("farm", "a farm", "the farm", "a small farm")
    stage.name_scene("field", "a green field", "a field", "a meadow")
    stage.name("work", "other", ("work", "a break"))
    stage.speak(
        [
            "[rider] in [rider.hat] (rides|is riding) [horse] past [farmer] with [basket]",
            "[farmer] in [farmer.top] feeds [sheep] on [farm] , with [tractor] in <the_background>",
        ],
        [
            "[rider] on [horse] rides through [field]",
            "[cow] stands behind [horse] , and [sheep!] graze in [field]",
            "[people] are looking after [animals] on [farm]",
            "[farmer] wearing [farmer.hat] carries [basket] after [work]",
            "[tractor] is parked behind [farmer] and [sheep]",
            "[rider] in [rider.top] sits on [horse] next to [cow]",
            "[farmer] with [basket] in [farmer.hand] looks at [rider] on [horse]",
        ],
    )


def snow_backdrop(rng: Random) -> list[Layer]:
    """Mountains, pines and a white slope under falling snow."""
    layers = backdrops.sky((150, 186, 220), (236, 232, 236), 420)
    layers += backdrops.mountains(rng, 430, 260, (150, 170, 204), (246, 248, 254)) + backdrops.hills(
        rng, 452, 60, (206, 218, 236)
    )
    for i in range(13):
        size = rng.uniform(110, 190)
        layers += backdrops.pine(30 + i * 96 + rng.uniform(-26, 26), 496 + rng.uniform(-16, 12), size, (104, 146, 146))
    layers += [Band(488, 800, (236, 242, 252), (214, 226, 244))]
    layers += backdrops.hills(rng, 520, 40, (240, 245, 253), 1.2)
    layers += backdrops.pine(1120, 640, 330, (78, 128, 118))
    pen = Pen(0, 0, 1)
    for _ in range(90):
        pen.disc("flake", (255, 255, 255), rng.uniform(0, 1200), rng.uniform(0, 560), rng.uniform(1.5, 4))
    for _ in range(12):
        x, y = rng.uniform(0, 1100), rng.uniform(590, 780)
        pen.line("track", (200, 214, 236), 4, (x, y), (x + rng.uniform(60, 160), y + rng.uniform(4, 16)))
    return [*layers, *pen.shapes]


def snow(stage: SceneStage) -> None:
    """Two children, one on a sled, build a snowman with a grown-up and a dog."""
    rng = stage.rng
    shades = rng.sample(BRIGHT, 4)
    woman = random_look(
        rng,
        rng.choice(("woman", "man")),
        wear={"top": ("coat", shades[0]), "hat": ("beanie", shades[1]), "scarf": ("scarf", shades[2])},
    )
    boy = random_look(rng, "boy", wear={"top": ("sweater", shades[3]), "hat": ("beanie", shades[0])})
    girl = random_look(
        rng, "girl", wear={"top": ("coat", shades[1]), "hat": ("beanie", shades[3]), "scarf": ("scarf", shades[2])}
    )
    she, _ = pronouns(woman)
    stage.put("snowman", things.snowman(640, 700, 266))
    stage.whole_person("adult", woman, Pose(far_hand=(26, -72), near_foot=(-6, 0), far_foot=(7, 0)), 500, 748, 378)
    stage.whole_person("girl", girl, Pose(far_hand=(27, -64), near_hand=(12, -92)), 780, 744, 216, flip=True)
    stage.put("sled", things.sled(208, 726, 210))
    sitting = Pose(
        hips=(0, -14), lean=-3, far_hand=(30, -26), near_hand=(24, -24), near_foot=(30, -1), far_foot=(35, -1)
    )
    rider = stage.whole_person("boy", boy, sitting, 180, 700, 218)
    stage.put("rope", things.string(rider.far_hand, (312, 694), 8, (150, 96, 66), 4))
    coat = rng.choice(("brown", "black"))
    stage.put("dog", animals.dog(985, 752, 150, {"brown": (186, 124, 78), "black": (74, 68, 76)}[coat], flip=True))
    stage.name("snowman", "other", ("a snowman", "a big snowman", "the snowman"), "snowman")
    stage.name("sled", "other", ("a sled", "a wooden sled", "his sled|vehicles"), "sled")
    stage.name("dog", "animals", (a(f"{coat} dog"), "a dog", a(f"happy {coat} dog")), "dog")
    stage.name_pair("children", ("boy", boy), ("girl", girl))
    stage.name("family", "people", ("a family", "+three people", "a family of three"), "adult", "boy", "girl")
    stage.name(
        "hats",
        "clothing",
        ("+woolly hats", "+winter hats", "+hats"),
        *[(key, frozenset({"hat"})) for key in ("adult", "boy", "girl")],
    )
    stage.name_scene("snow", "the snow", "fresh snow", "deep snow")
    stage.name_scene("hill", "a snowy hill", "a hill")
    stage.name("trick", "other", ("a trick", "a treat"))
    stage.speak(
        [
            "[family] in [hats] plays/play with [dog] in [snow]",
            "[girl] in [girl.top] and [adult] build [snowman] while [boy!] rides/ride [sled]",
        ],
        [
            "[boy] in [boy.hat] slides down [hill] on [sled]",
            "[adult] wearing [adult.top] and [adult.scarf] (puts|is putting) [adult.hand] on [snowman]",
            "[children] play in [snow] as [dog!] waits/wait for [trick]",
            "[girl] wearing [girl.hat] stands between [snowman] and [dog]",
            f"[adult] laughs because <{she}> sees [boy] on [sled]",
            "[dog] watches [girl] and [adult] make [snowman] in [snow]",
            "[boy] in [boy.top] rides [sled] toward [adult]",
        ],
    )
