"""Parks: a walk with a dog, a playground, and a couple by the river."""

from random import Random

from simulation.scenes import animals, backdrops, things
from simulation.scenes.look import random_look
from simulation.scenes.palette import BRIGHT, NAMED, lighter
from simulation.scenes.people import WALKING, Pose
from simulation.scenes.playing import plays_violin
from simulation.scenes.shapes import Blob, Layer, Oval
from simulation.scenes.stage import SceneStage
from simulation.scenes.words import a, pronouns

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
        stage.put("cat", animals.cat(850, 616, 84, rng.choice(((226, 150, 84), (120, 112, 116)))))
        stage.name("cat", "animals", ("a cat", "a cat", "a small cat", "a kitty"), "cat")
    coat = rng.choice(list(DOGS))
    walker = stage.whole_person("walker", look, WALKING, 500, 752, 390)
    stage.put("leash", things.string(walker.far_hand, (672, 676), 10, (196, 70, 66), 3))
    stage.put("dog", animals.dog(650, 752, 118, DOGS[coat]))
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
    stage.put("white duck", animals.duck(500, 520, 78, NAMED["white"]))
    stage.put("brown duck", animals.duck(1010, 548, 84, (158, 118, 88), flip=True))
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
