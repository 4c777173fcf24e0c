"""Stories outdoors: a beach, a harbour, a farm, a hill in the snow, a dog in a park, a playground, a couple."""

from random import Random

from simulation.scenes import backdrops, things
from simulation.scenes.people import WALKING, Pose, random_look
from simulation.scenes.playing import plays_violin
from simulation.scenes.shapes import BRIGHT, NAMED, Band, Blob, Layer, Oval, Pen, darker, lighter
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import a, pronouns


def beach_backdrop(rng: Random) -> list[Layer]:
    """Sea, surf and sand under a high sun."""
    layers = backdrops.sky((120, 194, 226), (226, 242, 240), 330) + backdrops.sun(rng.uniform(120, 380), 100, 44)
    layers += backdrops.clouds(rng, 3, 80, 180) + backdrops.hills(rng, 334, 40, (150, 190, 196), 1.4)
    layers += backdrops.water(rng, 326, 520, (66, 150, 186), (128, 204, 206))
    layers.append(Band(505, 800, (244, 222, 172), (232, 200, 144)))
    for shift, colour in ((0, (250, 252, 250)), (14, (226, 204, 156))):
        edge = tuple([(x * 60.0, 500 + shift + 12 * ((x * 7) % 5 - 2) / 2) for x in range(21)])
        layers.append(Blob("surf", colour, 6 if not shift else 5, edge))
    return layers + backdrops.palm(1110, 560, 400)


def beach(stage: SceneStage) -> None:
    """Two children build a sand castle; two dogs of different colours chase a ball."""
    rng = stage.rng
    boy = random_look(rng, "boy", wear={"bottom": ("shorts", rng.choice(("blue", "red"))), "hat": None})
    girl = random_look(
        rng,
        "girl",
        wear={"hat": ("hat", rng.choice(("yellow", "pink", "white"))), "top": ("dress", rng.choice(BRIGHT))},
    )
    adult = random_look(rng, "woman", wear={"hat": None, "top": ("dress", rng.choice(BRIGHT))})
    sail = rng.choice(("white", "red", "orange"))
    stage.put("boat", things.sailboat(rng.uniform(640, 820), 400, 110, (134, 94, 66), NAMED[sail]))
    stage.put("gull 1", things.seagull(470, 190, 84))
    stage.put("gull 2", things.seagull(590, 130, 66, tilt=0.6))
    roof = rng.choice(("red", "orange", "blue", "green"))
    stage.put("parasol", things.parasol(950, 640, 350, NAMED[roof], open_to=44))
    stage.whole_person("woman", adult, Pose(far_hand=(16, -54)), 1010, 668, 310, flip=True)
    stage.put("white dog", things.dog(640, 664, 118, NAMED["white"], leaping=True))
    stage.put("brown dog", things.dog(480, 652, 114, (156, 104, 70), leaping=True))
    shade = rng.choice(BRIGHT)
    stage.put("ball", things.ball(780, 640, 56, NAMED[shade]))
    stage.whole_person("boy", boy, Pose(far_hand=(26, -32), near_hand=(12, -30), lean=9), 96, 756, 232)
    stage.whole_person("girl", girl, Pose(far_hand=(26, -34), near_hand=(10, -34), lean=8), 352, 764, 218, flip=True)
    stage.put("castle", things.sandcastle(224, 776, 132))
    stage.name("boat", "vehicles", (a(f"{sail} sailboat"), "a sailboat", "a boat"), "boat")
    stage.name("gulls", "animals", ("+two seagulls", "+seagulls", "+birds"), "gull 1", "gull 2")
    stage.name("parasol", "other", (a(f"{roof} and white umbrella"), "a beach umbrella", "an umbrella"), "parasol")
    stage.name("white-dog", "animals", ("a white dog", "a white dog", "a small white dog"), "white dog")
    stage.name("brown-dog", "animals", ("a brown dog", "a brown dog", "a dark brown dog"), "brown dog")
    stage.name("dogs", "animals", ("+two dogs", "+two dogs", "+dogs"), "white dog", "brown dog")
    stage.name("ball", "other", (a(f"{shade} ball"), "a ball", "a beach ball"), "ball")
    stage.name("castle", "other", ("a sand castle", "a sandcastle", "a big sand castle"), "castle")
    stage.name_pair("children", ("boy", boy), ("girl", girl))
    stage.name_scene("beach", "the beach", "a beach", "a sandy beach")
    stage.name("sea", "scene,other", ("the sea", "the ocean", "the water"))
    stage.scenes.add("sea")
    stage.speak(
        [
            "[brown-dog] and [white-dog] (chase|run after) [ball] (on|along) [beach]",
            "[children] (build|are building) [castle] while [dogs!] play with [ball]",
        ],
        [
            "[boy] and [girl] in [girl.hat] work on [castle] by [sea]",
            "[woman] in [woman.top] stands under [parasol] and watches [children]",
            "[girl] wearing [girl.top] and [girl.hat] pats [castle] with [girl.hand]",
            "[gulls] fly over [sea] as [boat!] sails/sail past [beach]",
            "[boy] in [boy.top] plays with [girl] on [beach]",
            "[woman] with [woman.hair] stands beneath [parasol] near [sea]",
            "[dogs] run across [beach] in front of [woman] , and [boat!] is/are in <the_background>",
        ],
    )


def harbour_backdrop(rng: Random) -> list[Layer]:
    """A bay at sunrise with a lighthouse hill and the planks of a pier."""
    layers = backdrops.sky((168, 186, 220), (255, 222, 190), 420) + backdrops.sun(
        rng.uniform(300, 520), 340, 56, (255, 232, 186)
    )
    layers += backdrops.clouds(rng, 4, 90, 220, (255, 238, 226)) + backdrops.hills(rng, 424, 90, (176, 178, 204), 1.6)
    layers += backdrops.water(rng, 414, 800, (232, 196, 182), (96, 142, 178))
    layers.append(
        Blob("cape", (120, 150, 132), 0, ((880, 430), (960, 372), (1090, 352), (1200, 340), (1200, 432)), True)
    )
    pen = Pen(0, 0, 1)
    for x in (90, 330, 570):
        pen.block("pier", (96, 74, 66), x - 12, 690, x + 12, 800)
    for i in range(13):
        pen.block("pier", darker((188, 140, 102), 0.06 * (i % 3)), -10 + i * 52, 648, 40 + i * 52, 716, 2)
    pen.block("pier", (142, 104, 78), -10, 712, 668, 730)
    return [*layers, *pen.shapes]


def lighthouse(x: float, y: float, size: float) -> Pen:
    """A striped tower on a cape."""
    pen = Pen(x, y, size / 100)
    for i in range(5):
        low, high = 13 - i * 1.1, 13 - (i + 1) * 1.1
        colour = NAMED["red"] if i % 2 else NAMED["white"]
        pen.fill("tower", colour, (-low, -i * 15), (low, -i * 15), (high, -(i + 1) * 15), (-high, -(i + 1) * 15))
    pen.block("tower", (255, 236, 170), -6, -88, 6, -75)
    pen.block("tower", (70, 74, 92), -10, -77, 10, -74)
    pen.fill("tower", NAMED["red"], (-8, -88), (8, -88), (0, -98))
    return pen


def harbour(stage: SceneStage) -> None:
    """Somebody fishes from a pier, watched by a cat; boats and gulls about."""
    rng = stage.rng
    look = random_look(
        rng,
        "man",
        wear={
            "hat": (rng.choice(("cap", "beanie")), rng.choice(BRIGHT)),
            "top": ("coat", rng.choice(("yellow", "green", "blue"))),
        },
    )
    rower = random_look(
        rng,
        "woman",
        wear={"top": ("t-shirt", rng.choice(("red", "pink", "white", "purple"))), "hat": ("hat", "yellow")},
    )
    he, _ = pronouns(look)
    stage.put("lighthouse", lighthouse(1080, 362, 230).shapes)
    sail = rng.choice(("white", "orange", "red"))
    stage.put("ship", things.sailboat(720, 512, 210, NAMED["blue"], NAMED[sail]))
    pose = Pose(hips=(0, -26), lean=-5, near_hand=(14, -36), far_hand=(22, -38), near_foot=(22, -9), far_foot=(26, -9))
    stage.whole_person("rower", rower, pose, 930, 648, 210)
    stage.put("oar", things.string((960, 560), (1070, 664), 0, (150, 108, 74), 7))
    hull = rng.choice(("green", "red", "blue"))
    stage.hidden_below["rower"] = 624
    stage.put("rowboat", things.rowboat(945, 664, 300, NAMED[hull]))
    stage.put("gull 1", things.seagull(600, 210, 96))
    stage.put("gull 2", things.seagull(860, 150, 78, flip=True, tilt=0.7))
    fisher = stage.person("man", look, Pose(far_hand=(20, -60), near_hand=(14, -54)), 380, 690, 360)
    stage.put("rod", things.fishing_rod(fisher.far_hand, 210, 740))
    stage.put("man", fisher.arms)
    fur = rng.choice(("orange", "gray"))
    stage.put("cat", things.cat(210, 690, 96, {"orange": (226, 150, 84), "gray": (150, 150, 158)}[fur]))
    stage.put("basket", things.basket(84, 694, 88, (150, 172, 190)))
    stage.name("lighthouse", "other", ("a lighthouse", "a red and white lighthouse", "the lighthouse"), "lighthouse")
    # As in real captions, one word for the same thing can be of another type: such mentions are never asked about.
    stage.name("ship", "vehicles", ("a sailboat", a(f"{sail} sailboat"), "a boat", "a small vessel|other"), "ship")
    stage.name("rowboat", "vehicles", (a(f"{hull} rowboat"), "a rowboat", "a small boat"), "rowboat")
    stage.name("gulls", "animals", ("+two seagulls", "+seagulls", "+two white birds"), "gull 1", "gull 2")
    stage.name("rod", "other", ("a fishing rod", "his fishing rod", "a fishing pole"), "rod")
    stage.name("cat", "animals", (a(f"{fur} cat"), "a cat", "a hungry cat"), "cat")
    stage.name("basket", "other", ("a basket", "a basket of fish", "a full basket"), "basket")
    stage.name_scene("harbour", "the harbor", "a harbor", "a quiet harbor")
    stage.name_scene("pier", "a pier", "a wooden pier", "the dock")
    stage.name("breakfast", "other", ("breakfast", "his dinner", "a big catch"))
    stage.speak(
        [
            "[man] in [man.top] (is fishing|fishes) from [pier] while [cat!] waits/wait for [breakfast]",
            "[man] wearing [man.hat] holds [rod] as [rower] (rows past|goes by) in [rowboat]",
        ],
        [
            "[rower] in [rower.hat] rows [rowboat] through [harbour]",
            "[gulls] circle above [ship] near [lighthouse]",
            f"[cat] sits next to [basket] behind [man] , who hopes <{he}> will catch [breakfast]",
            "[ship] (sails|is sailing) into [harbour] in front of [lighthouse]",
            "[man] with [rod] stands on [pier] and looks at [ship]",
            "[rower] in [rower.top] and [man] in [man.hat] are out early at [harbour]",
        ],
    )


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
    stage.put("tractor", things.tractor(1050, 632, 260, NAMED[paint]))
    stage.put("cow", things.cow(140, 640, 220, NAMED["white"]))
    stage.put("sheep 1", things.sheep(960, 738, 126))
    stage.put("sheep 2", things.sheep(1100, 772, 142, flip=True))
    coat = rng.choice(list(HORSES))
    stage.put("horse", things.horse(474, 752, 330, HORSES[coat]))
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
    stage.put("dog", things.dog(985, 752, 150, {"brown": (186, 124, 78), "black": (74, 68, 76)}[coat], flip=True))
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


DOGS = {"brown": (176, 116, 74), "white": (242, 238, 230), "black": (70, 64, 72)}
LEAVES = ((104, 160, 104), (126, 172, 104), (92, 148, 116), (142, 178, 100))


def park_backdrop(rng: Random) -> list[Layer]:
    """A summer park with a path."""
    layers = backdrops.sky((142, 198, 224), (228, 240, 234), 420) + backdrops.sun(rng.uniform(820, 1060), 110, 46)
    layers += backdrops.clouds(rng, 3, 90, 210)
    layers += backdrops.hills(rng, 430, 90, (172, 206, 178)) + backdrops.hills(rng, 460, 70, (150, 194, 146))
    for i in range(9):
        layers += backdrops.tree(
            60 + i * 138 + rng.uniform(-30, 30), 490, rng.uniform(130, 210), lighter(rng.choice(LEAVES), 0.28)
        )
    layers += backdrops.grass(rng, 480, (164, 200, 124), (116, 168, 96))
    path = ((0, 700), (360, 640), (760, 664), (1200, 610), (1200, 690), (780, 752), (380, 724), (0, 800))
    layers.append(Blob("path", (232, 214, 178), 0, path, True))
    return layers + backdrops.tree(1105, 610, 400, rng.choice(LEAVES))


def park(stage: SceneStage) -> None:
    """Somebody walks a dog past a bench while two children fly a kite."""
    rng = stage.rng
    look = random_look(
        rng, rng.choice(("man", "woman")), wear={"hat": (rng.choice(("hat", "cap")), rng.choice(BRIGHT))}
    )
    boy, girl = random_look(rng, "boy"), random_look(rng, "girl")
    _, his = pronouns(look)
    left = stage.whole_person("girl", girl, Pose(far_hand=(14, -92)), 130, 610, 165)
    stage.whole_person(
        "boy", boy, Pose(far_hand=(22, -88), near_hand=(-20, -86), near_foot=(-10, 0), far_foot=(9, 0)), 250, 622, 165
    )
    first, second = rng.sample(BRIGHT, 2)
    stage.put("string", things.string(left.far_hand, (300, 196), 24))
    stage.put("kite", things.kite(300, 150, 96, NAMED[first], NAMED[second]))
    stage.put("bench", things.park_seat(880, 668, 230))
    cat = rng.random() < 0.5
    if cat:
        stage.put("cat", things.cat(850, 616, 84, rng.choice(((226, 150, 84), (120, 112, 116)))))
        stage.name("cat", "animals", ("a cat", "a cat", "a small cat", "a kitty"), "cat")
    coat = rng.choice(list(DOGS))
    walker = stage.whole_person("walker", look, WALKING, 500, 752, 390)
    stage.put("leash", things.string(walker.far_hand, (672, 676), 10, (196, 70, 66), 3))
    stage.put("dog", things.dog(650, 752, 118, DOGS[coat]))
    stage.name("dog", "animals", (a(f"{coat} dog"), f"{his} dog", "a dog", a(f"small {coat} dog")), "dog")
    stage.name("leash", "other", ("a leash", "a red leash"), "leash")
    stage.name(
        "bench", "other", ("a wooden bench", "a bench", "an empty bench" if not cat else "a park bench"), "bench"
    )
    stage.name("kite", "other", ("a kite", a(f"{first} and {second} kite"), "a colorful kite"), "kite")
    stage.name_pair("children", ("girl", girl), ("boy", boy))
    stage.name_scene("park", "the park", "a park", "a sunny park")
    stage.name("fun", "other", ("fun",))
    stage.speak(
        [
            "[walker] in [walker.hat] (walks|is walking) [dog] (past|in front of) [bench] in [park]",
            "[children] (fly|are flying) [kite] in <the_background> while [walker!] walks/walk by with [dog]",
        ],
        [
            "[walker] in [walker.top] (walks|is walking) with [dog] (in|through) [park]",
            "[dog] on [leash] leads [walker] (through [park]|past [bench])",
            "[walker] wearing [walker.hat] and [walker.top] holds [leash] in [walker.hand]",
            "[boy] and [girl] are having [fun] with [kite] in [park]",
            "[walker] and [dog] walk past [bench] , and [children] have [fun] with [kite]",
            *(["[cat] sits on [bench] and watches [dog] on [leash]"] * cat),
        ],
    )


def playground_backdrop(rng: Random) -> list[Layer]:
    """A sand pit in front of trees and a fence."""
    layers = backdrops.sky((168, 208, 226), (246, 238, 216), 440) + backdrops.clouds(rng, 3, 80, 190)
    layers += backdrops.hills(rng, 420, 60, (190, 212, 176))
    for i in range(8):
        layers += backdrops.tree(
            40 + i * 160 + rng.uniform(-30, 30), 500, rng.uniform(200, 300), lighter(rng.choice(LEAVES), 0.12)
        )
    layers += backdrops.grass(rng, 490, (160, 196, 120), (120, 172, 98))
    layers += [Oval("sand", (212, 186, 134), 600, 724, 660, 136), Oval("sand", (240, 216, 164), 600, 718, 660, 132)]
    return layers


def playground(stage: SceneStage) -> None:
    """A child on a swing, another by the slide, and a grown-up with a balloon."""
    rng = stage.rng
    girl = random_look(rng, "girl", wear={"top": ("dress", rng.choice(BRIGHT)), "hat": None})
    boy = random_look(rng, "boy", wear={"hat": ("cap", rng.choice(BRIGHT)), "bottom": ("shorts", "blue")})
    adult = random_look(rng, rng.choice(("woman", "man")), wear={"hat": None})
    she, _ = pronouns(adult)
    frame, beam = things.swing(270, 690, 290)
    stage.put("swing", frame)
    seat = (312, 622)
    for dx in (-26, 26):
        stage.put("swing", things.string((beam[0] + dx * 0.8, beam[1]), (seat[0] + dx, seat[1]), 0, (84, 84, 98), 3))
    stage.put("swing", things.string((seat[0] - 34, seat[1]), (seat[0] + 34, seat[1]), 0, (120, 84, 60), 9))
    pose = Pose(
        hips=(0, -38), lean=-4, near_hand=(-20, -62), far_hand=(18, -62), near_foot=(24, -17), far_foot=(30, -21)
    )
    stage.whole_person("girl", girl, pose, 312, 688, 180)
    paint = rng.choice(("yellow", "blue", "red", "green"))
    stage.put("slide", things.slide(920, 676, 400, NAMED[paint]))
    stage.whole_person(
        "boy",
        boy,
        Pose(far_hand=(24, -86), near_hand=(-22, -82), near_foot=(-9, 0), far_foot=(9, 0)),
        1092,
        744,
        210,
        flip=True,
    )
    grown = stage.person("adult", adult, Pose(far_hand=(17, -62)), 600, 750, 370)
    shade = rng.choice(BRIGHT)
    stage.put("balloon", things.balloon(grown.far_hand, 122, NAMED[shade], 14))
    stage.put("adult", grown.arms)
    other = rng.choice([c for c in BRIGHT if c != shade])
    stage.put("ball", things.ball(780, 764, 64, NAMED[other]))
    stage.name("swing", "other", ("a swing", "a red swing", "the swing", "a swing set"), "swing")
    stage.name("slide", "other", ("a slide", a(f"{paint} slide"), "the slide"), "slide")
    stage.name("balloon", "other", (a(f"{shade} balloon"), "a balloon", "a big balloon"), "balloon")
    stage.name("ball", "other", (a(f"{other} ball"), "a ball", a(f"{other} and white ball")), "ball")
    stage.name_pair("children", ("girl", girl), ("boy", boy))
    stage.name_scene("playground", "the playground", "a playground", "a sandy playground")
    stage.name("fun", "other", ("fun", "a good time"))
    stage.speak(
        [
            "[children] are having [fun] (at|on) [playground] while [adult!] watches/watch",
            "[girl] in [girl.top] swings on [swing] as [boy] plays near [slide]",
        ],
        [
            f"[adult] holds [balloon] in [adult.hand] while <{she}> waits for [children] at [playground]",
            "[boy] wearing [boy.hat] waves (happily|) next to [slide]",
            "[girl] sits on [swing] , and [adult] in [adult.top] stands next to [ball]",
            "[adult] with [balloon] stands between [swing] and [slide] on [playground]",
            "[boy] in [boy.hat] and [boy.bottom] has left [ball] behind <him>",
            "[girl] plays on [swing] next to [adult] with [balloon]",
        ],
    )


def river_backdrop(rng: Random) -> list[Layer]:
    """A river between blossoming trees."""
    blossom = ((240, 178, 186), (246, 198, 196), (168, 200, 140))
    layers = backdrops.sky((178, 206, 230), (252, 232, 222), 400) + backdrops.clouds(rng, 3, 90, 180, (255, 248, 244))
    layers += backdrops.hills(rng, 390, 110, (186, 206, 204)) + backdrops.hills(rng, 410, 60, (172, 204, 172))
    for i in range(8):
        layers += backdrops.tree(
            50 + i * 156 + rng.uniform(-36, 36), 430, rng.uniform(150, 220), lighter(rng.choice(blossom), 0.1)
        )
    layers += [Blob("bank", (150, 190, 128), 0, ((0, 420), (1200, 420), (1200, 450), (0, 450)), True)]
    layers += backdrops.water(rng, 444, 590, (150, 196, 214), (104, 166, 196))
    layers += backdrops.grass(rng, 584, (160, 198, 124), (122, 174, 104))
    return layers + backdrops.tree(80, 680, 430, blossom[0])


def wedding(stage: SceneStage) -> None:
    """A bride and a groom by a river with ducks, and a violinist; captions name the two apart and together."""
    rng = stage.rng
    bride = random_look(rng, "woman", old=False, wear={"top": ("dress", "white"), "hat": ("veil", "white")})
    suit = rng.choice(("black", "blue", "gray"))
    groom = random_look(
        rng, "man", old=False, wear={"top": ("jacket", suit), "bottom": ("trousers", suit), "hat": None}
    )
    player = random_look(
        rng, rng.choice(("man", "woman")), wear={"hat": ("hat", rng.choice(("brown", "red", "black")))}
    )
    stage.put("white duck", things.duck(500, 520, 78, NAMED["white"]))
    stage.put("brown duck", things.duck(1010, 548, 84, (158, 118, 88), flip=True))
    plays_violin(stage, "player", player, 250, 736, 350)
    stage.whole_person("groom", groom, Pose(near_hand=(-15, -50)), 800, 762, 410, flip=True)
    wed = stage.person("bride", bride, Pose(far_hand=(11, -60), near_hand=(-9, -56)), 650, 762, 388)
    stage.put("bouquet", things.bouquet(wed.far_hand, 84))
    stage.put("bride", wed.arms)
    stage.name("bride", "people", ("a bride", "the bride", "a young bride"), "bride")
    stage.name("groom", "people", ("a groom", "the groom", "a young groom"), "groom")
    stage.name("couple", "people", ("a couple", "a newly married couple", "a happy couple"), "bride", "groom")
    stage.name("bouquet", "other", ("a bouquet", "a bouquet of flowers", "+flowers"), "bouquet")
    stage.name("violin", "instruments", ("a violin", "the violin", pronouns(player)[1] + " violin"), "violin")
    stage.name("ducks", "animals", ("+two ducks", "+ducks", "+a pair of ducks"), "white duck", "brown duck")
    stage.name("white-duck", "animals", ("a white duck",), "white duck")
    stage.name("brown-duck", "animals", ("a brown duck", "a dark duck"), "brown duck")
    stage.name_scene("river", "a river", "the river", "a calm river")
    stage.name("camera", "other", ("the camera", "a photograph", "a wedding picture"))
    stage.speak(
        [
            "[couple] (poses|is posing) for [camera] (beside|in front of) [river]",
            "[bride] in [bride.top] and [groom] in [groom.top] smile at <each_other>",
        ],
        [
            "[player] in [player.hat] (plays|is playing) [violin] for [couple]",
            "[bride] holds [bouquet] in [bride.hand] while [player!] plays/play [violin]",
            "[white-duck] and [brown-duck] swim behind [couple] on [river]",
            "[ducks] swim on [river] behind [bride] and [groom]",
            "[bride] wearing [bride.hat] and [bride.top] stands next to [groom] with [bouquet]",
            "[player] with [violin] entertains [bride] and [groom] near [river]",
        ],
    )
