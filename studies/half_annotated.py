"""Drawn scenes that a simulated crowd has annotated to the end, and others that it has only begun."""

from collections.abc import Callable, Sequence

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.project.settings_versions import current_settings
from pipeline.tick import tick
from simulation.scenes.scene import make_scene
from simulation.simulate import simulate

SEED = 7
BEGUN = 24
"""Judgments that the crowd gives about each scene that it only begins."""


def half_annotate(
    project: Project,
    finished: int,
    begun: int,
    *,
    crowd: str = "paper",
    step: Callable[[int], object] = lambda judgments: None,
) -> None:
    """Import drawn scenes with their gold into an empty project, let the crowd finish some and begin the others.

    The finished ones show all that the pipeline asks; of the begun ones, questions of most tasks are open.
    """
    _import(project, range(finished))
    simulate(project=project, crowd=crowd, seed=SEED, step=step)
    _import(project, range(finished, finished + begun))
    simulate(project=project, crowd=crowd, seed=SEED, most=BEGUN * begun, step=step)


def _import(project: Project, numbers: Sequence[int]) -> None:
    version, _ = current_settings(project.id)
    for number in numbers:
        scene = make_scene(SEED, number).image
        import_image(project, number, scene, picture=f"scenes/{number:05}.jpg", gold=True, settings_version=version)
    tick(project_id=project.id)
