"""A survey's question as a worker sees it: the words of a caption, or an atom with its examples."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.models import Image
from labelling.pictures import picture_link
from pipeline.asking.read_assignment import Item
from pipeline.rules.tasks.task import Task

WORD = re.compile(r"\S+")
"""Finds the same words as `caption_check.tokens`, with their places."""


def pictures_of(project_id: int, task: Task, questions: Iterable[Item]) -> dict[str, Image]:
    """Return the images of the questions' examples by name; only atoms have examples, and cost a statement."""
    if task is not Task.ATOM_VISUAL:
        return {}
    names = {example["image"] for question in questions for example in question.shown["survey"]["examples"]}
    return {image.name: image for image in Image.objects.filter(project=project_id, name__in=names)}


def survey_shown(asked: Mapping[str, Any], pictures: Mapping[str, Image]) -> dict[str, Any]:
    """Return what a survey asks about. `pictures`: the images of its examples, by name."""
    if "caption" in asked:
        caption = asked["caption"]
        return {"caption": caption, "words": [list(word.span()) for word in WORD.finditer(caption)]}
    examples = [
        {"image": image_shown(pictures[example["image"]]), "caption": example["caption"]}
        for example in asked["examples"]
    ]
    return {"atom": asked["atom"], "category": asked["category"], "examples": examples}


def image_shown(image: Image) -> dict[str, Any]:
    return {
        "url": picture_link(image.picture, "screen"),
        "full_url": picture_link(image.picture, "full"),
        "width": image.width,
        "height": image.height,
    }
