"""The coast: a day at the beach and a harbour in the morning."""

from random import Random

from simulation.scenes import animals, backdrops, things, vehicles
from simulation.scenes.look import random_look
from simulation.scenes.palette import BRIGHT, NAMED, darker
from simulation.scenes.people import Pose
from simulation.scenes.shapes import Band, Blob, Layer, Pen
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
    stage.put("boat", vehicles.sailboat(rng.uniform(640, 820), 400, 110, (134, 94, 66), NAMED[sail]))
    stage.put("gull 1", animals.seagull(470, 190, 84))
    stage.put("gull 2", animals.seagull(590, 130, 66, tilt=0.6))
    roof = rng.choice(("red", "orange", "blue", "green"))
    stage.put("parasol", things.parasol(950, 640, 350, NAMED[roof], open_to=44))
    stage.whole_person("woman", adult, Pose(far_hand=(16, -54)), 1010, 668, 310, flip=True)
    stage.put("white dog", animals.dog(640, 664, 118, NAMED["white"], leaping=True))
    stage.put("brown dog", animals.dog(480, 652, 114, (156, 104, 70), leaping=True))
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
    stage.put("ship", vehicles.sailboat(720, 512, 210, NAMED["blue"], NAMED[sail]))
    pose = Pose(hips=(0, -26), lean=-5, near_hand=(14, -36), far_hand=(22, -38), near_foot=(22, -9), far_foot=(26, -9))
    stage.whole_person("rower", rower, pose, 930, 648, 210)
    stage.put("oar", things.string((960, 560), (1070, 664), 0, (150, 108, 74), 7))
    hull = rng.choice(("green", "red", "blue"))
    stage.hidden_below["rower"] = 624
    stage.put("rowboat", vehicles.rowboat(945, 664, 300, NAMED[hull]))
    stage.put("gull 1", animals.seagull(600, 210, 96))
    stage.put("gull 2", animals.seagull(860, 150, 78, flip=True, tilt=0.7))
    fisher = stage.person("man", look, Pose(far_hand=(20, -60), near_hand=(14, -54)), 380, 690, 360)
    stage.put("rod", things.fishing_rod(fisher.far_hand, 210, 740))
    stage.put("man", fisher.arms)
    fur = rng.choice(("orange", "gray"))
    stage.put("cat", animals.cat(210, 690, 96, {"orange": (226, 150, 84), "gray": (150, 150, 158)}[fur]))
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
