"""The merging of boxes on real ones: those of the public data set, each chain's box on its own again."""

from itertools import islice
from pathlib import Path

from annotation.rules.box_merge import BoxToMerge, MergeRules, merge_boxes
from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from tests.support.brute_force_merge import brute_force_merge


def drawn_boxes(image: DatasetImage) -> list[BoxToMerge]:
    types: dict[str, set[str]] = {chain.name: set() for chain in image.chains}
    for mention in image.mentions:
        types[str(mention.chain)].update(mention.types)
    pairs = [(box.box, chain) for box in image.boxes for chain in box.chains]
    return [BoxToMerge(box, frozenset(types[chain]), int(chain)) for box, chain in pairs]


def test_real_boxes_merge_as_a_brute_force_search_merges_them(data_folder: Path):
    joins = 0
    for image in islice(read_flickr30k(data_folder / "flickr30k-entities"), 100):
        assert isinstance(image, DatasetImage)
        boxes = drawn_boxes(image)
        result, expected = merge_boxes(boxes), brute_force_merge(boxes, MergeRules())
        assert {group.members: group.box for group in result.groups} == expected.groups, image.name
        assert [join[:2] for join in result.joins] == [join[:2] for join in expected.joins], image.name
        joins += len(result.joins)
    assert joins > 0
