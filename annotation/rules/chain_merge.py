"""Chain merging [paper 3.3.2]: chains that point to exactly the same boxes are one chain."""

from collections.abc import Mapping


def merge_chains(boxes_of: Mapping[int, frozenset[int]]) -> list[tuple[int, ...]]:
    """Group the chains of one image that point to exactly the same merged boxes.

    `boxes_of`: the boxes of every chain, with the chains in reading order of their first mentions. The groups and the
    chains in each keep that order, so the first chain of a group names the merged chain. A chain without a box stays
    alone: nothing shows that two such chains are the same.
    """
    groups: dict[frozenset[int] | int, list[int]] = {}
    for chain, boxes in boxes_of.items():
        groups.setdefault(boxes or chain, []).append(chain)
    return [tuple(chains) for chains in groups.values()]
