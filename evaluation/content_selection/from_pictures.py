"""Scenes of an export [paper Wang 3]: its boxes are chains with a box, and boxes that nothing is linked to."""

from collections import defaultdict

from evaluation.content_selection.concepts import concept
from evaluation.content_selection.scene import Labelled, Scene, natural
from evaluation.reading.picture import Picture


def scene_of(picture: Picture) -> Scene:
    """Return the scene. Boxes of a chain are one box; a chain that nobody mentions is left out.

    Loose boxes, which are of no chain, stand behind the others under ids like "box 1".
    """
    mentions: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    references = []
    for caption in picture.captions:
        own = [phrase for phrase in caption.phrases if phrase.chain in picture.gold]
        references.append(tuple(phrase.chain for phrase in own))
        for phrase in own:
            mentions[phrase.chain].append(phrase.words)
    boxes = [
        Labelled(chain, picture.gold[chain], concept(words))
        for chain, words in sorted(mentions.items(), key=lambda one: natural(one[0]))
    ]
    loose = [Labelled(f"box {i}", box, kind) for i, (kind, box) in enumerate(picture.loose, start=1)]
    return Scene(picture.name, picture.width, picture.height, (*boxes, *loose), tuple(references))
