"""Playing: people with something in their hands, drawn so that hands and things meet."""

from simulation.scenes import instruments, things, vehicles
from simulation.scenes.look import Look
from simulation.scenes.people import DrawnPerson, Pose
from simulation.scenes.shapes import Colour
from simulation.scenes.stage import SceneStage


def plays_guitar(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, wood: Colour
) -> DrawnPerson:
    """A standing guitarist; the guitar is the thing "guitar"."""
    pose = Pose(near_hand=(-6, -53), far_hand=(19, -64), near_foot=(-7, 0), far_foot=(8, 0))
    figure = stage.person(key, look, pose, x, y, height)
    stage.put("guitar", instruments.guitar(x, y - height * 0.54, height * 0.52, wood))
    stage.put(key, figure.arms)
    return figure


def plays_violin(stage: SceneStage, key: str, look: Look, x: float, y: float, height: float) -> DrawnPerson:
    """A standing violinist; the violin with its bow is the thing "violin"."""
    unit = height / 100
    figure = stage.person(key, look, Pose(near_hand=(20, -63), far_hand=(33, -79)), x, y, height)
    violin, bow = instruments.violin(x + 5 * unit, y - 79 * unit, 31 * unit)
    stage.put("violin", violin)
    stage.put("violin", bow)
    stage.put(key, figure.arms)
    return figure


def plays_trumpet(stage: SceneStage, key: str, look: Look, x: float, y: float, height: float) -> DrawnPerson:
    """A standing trumpeter; the trumpet is the thing "trumpet"."""
    unit = height / 100
    figure = stage.person(key, look, Pose(near_hand=(19, -83), far_hand=(25, -84)), x, y, height)
    stage.put("trumpet", instruments.trumpet(x + 6.5 * unit, y - 86 * unit, 36 * unit))
    stage.put(key, figure.arms)
    return figure


def plays_accordion(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, colour: Colour
) -> DrawnPerson:
    """A standing accordionist; the accordion is the thing "accordion"."""
    pose = Pose(near_hand=(-18, -60), far_hand=(18, -60))
    figure = stage.person(key, look, pose, x, y, height)
    stage.put("accordion", instruments.accordion(x, y - height * 0.61, height * 0.38, colour))
    stage.put(key, figure.arms)
    return figure


def rides_bicycle(
    stage: SceneStage, key: str, look: Look, x: float, y: float, height: float, colour: Colour
) -> DrawnPerson:
    """Somebody on a bicycle, which is the thing "bicycle"."""
    pose = Pose(
        hips=(-10, -48), lean=13, near_hand=(19, -48), far_hand=(20, -49), near_foot=(1, -5), far_foot=(-5, -17)
    )
    stage.put("bicycle", vehicles.bicycle(x, y, height * 0.78, colour))
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
