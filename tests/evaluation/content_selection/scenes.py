"""Scenes that are easy to follow by hand."""

from evaluation.content_selection.scene import Labelled, Scene


def scene(concepts: dict[str, str], *references: str, image: str = "image") -> Scene:
    """Return a scene with boxes of these concepts, and descriptions that refer to boxes of one-letter ids."""
    boxes = tuple(Labelled(name, (0, 0, 10, 10), concept) for name, concept in concepts.items())
    return Scene(image, 100, 50, boxes, tuple(tuple(own) for own in references))
