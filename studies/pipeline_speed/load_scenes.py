"""Load generated scenes, without pictures, as a project with gold and its first questions open."""

from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from tqdm import tqdm

from annotation.models import Project
from exchange.import_image import import_image
from pipeline.settings_versions import current_settings, open_project
from pipeline.tick import tick
from scenes.make import make_scenes
from scenes.scene import Scene

SEED = 1
SCENES_PER_TRANSACTION = 100


def load_scenes(count: int) -> Project:
    """The first `count` scenes of a fixed seed, each with its first coreference links open."""
    project = open_project(name=f"scenes-{count}")
    version, _ = current_settings(project.id)
    with tqdm(total=count, unit="scene", desc=f"load {count:,} scenes", disable=None) as bar:
        for part in _parts(make_scenes(SEED, count)):
            with transaction.atomic():
                for scene in part:
                    import_image(project, scene.index, scene.image, picture="", gold=True, settings_version=version)
            bar.update(len(part))
    tick(project_id=project.id)
    return project


def _parts(scenes: Iterator[Scene]) -> Iterator[list[Scene]]:
    while part := list(islice(scenes, SCENES_PER_TRANSACTION)):
        yield part
