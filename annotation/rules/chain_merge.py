"""Merging of chains [paper 3.3.2]: chains that point to exactly the same boxes are one chain."""

from collections.abc import Mapping


def merge_chains(boxes_of: Mapping[int, frozenset[int]]) -> list[tuple[int, ...]]:
    """Group the chains of one image that point to exactly the same non-empty set of merged boxes.

    `boxes_of` gives the boxes of every chain, the chains in reading order of their names (their first mentions). The
    groups and the chains in each keep that order, so a merged chain is named by the first of its group. Chains without
    a box stay as they are: nothing says that they are the same.
    """
    groups: dict[frozenset[int] | int, list[int]] = {}
    for chain, boxes in boxes_of.items():
        groups.setdefault(boxes or chain, []).append(chain)
    return [tuple(chains) for chains in groups.values()]
