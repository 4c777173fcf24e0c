"""Learn from labels: the priors of a project that checks a data set, from what most of its labels are like."""

from contextlib import suppress
from dataclasses import replace
from random import Random

from annotation.models import Project
from belief.boxes.box_prior import DEFAULT as DEFAULT_BOXES
from belief.links.link_prior import DEFAULT as DEFAULT_LINKS
from pipeline.checking.begin_check import LabelledImage, box_prior_of, link_prior_of
from pipeline.checking.label import labels_of_source
from pipeline.learning.fit_prior import heads_of_captions
from pipeline.models import Origin, Progress
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.state.progress_json import from_json
from projects.models import ModelPrediction

MAX_IMAGES = 500
"""The labels of this many images teach at most: some seconds of work."""
MIN_IMAGES = 30
"""With fewer images, the priors of a new project know more."""


def learn_labels(project: Project, *, by: str = "") -> None:
    """Add a version of the settings with priors of the labels, unless there are too few, or priors are chosen."""
    settings = current_settings(project.pk)[1]
    if not settings.reference_set or settings.learned.links != DEFAULT_LINKS or settings.learned.boxes != DEFAULT_BOXES:
        return
    rows = ModelPrediction.objects.filter(project=project, program=settings.reference_set)
    images = list(rows.order_by("image").values_list("image", flat=True))
    if len(images) < MIN_IMAGES:
        return
    drawn = sorted(Random(f"labels of {project.pk}").sample(images, min(MAX_IMAGES, len(images))))
    labelled = _read(project, settings.reference_set, drawn)
    learned = replace(settings.learned, boxes=box_prior_of(labelled))
    with suppress(ValueError):  # no two phrases of its captions can be one thing
        learned = replace(learned, links=link_prior_of(labelled, heads_of_captions([project.pk])))
    reason = f"priors of the labels of {len(labelled)} images"
    changed = replace(settings, learned=learned)
    change_settings(project_id=project.pk, settings=changed, reason=reason, made_by=by, origin=Origin.FITTED)


def _read(project: Project, program: int, images: list[int]) -> list[LabelledImage]:
    states = dict(Progress.objects.filter(image__in=images).values_list("image", "state"))
    found: list[LabelledImage] = []
    rows = ModelPrediction.objects.filter(project=project, program=program, image__in=images).order_by("image")
    for image, boxes, chains, flags in rows.values_list("image", "boxes", "chains", "flags"):
        mentions = from_json(states[image]).mentions
        found.append((list(mentions.values()), labels_of_source(boxes, chains, flags, mentions)))
    return found
