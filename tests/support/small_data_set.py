"""Two images whose statistics are easy to count by hand."""

from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.words import joined_caption


def beach() -> DatasetImage:
    """Three people in two boxes of one chain, one of them also a box of its own chain; a hat; a scene without a box."""
    captions = (
        joined_caption(("Two", "tall", "men", "and", "a", "red", "hat", "on", "the", "beach")),
        joined_caption(("The", "men", "in", "the", "sun")),
        joined_caption(("A", "man", "in", "red")),
    )
    mentions = (
        DatasetMention(0, 0, 3, ("people",), "1"),
        DatasetMention(0, 4, 7, ("clothing", "other"), "2"),
        DatasetMention(0, 8, 10, ("scene",), "3"),
        DatasetMention(1, 0, 2, ("people",), "1"),
        DatasetMention(2, 0, 2, ("people",), "4"),
        DatasetMention(2, 3, 4, ("clothing",), "2"),
    )
    chains = (DatasetChain("1"), DatasetChain("2"), DatasetChain("3", scene=True), DatasetChain("4"))
    boxes = (
        DatasetBox(Box(0, 0, 40, 100), ("1", "4")),
        DatasetBox(Box(60, 0, 100, 100), ("1",)),
        DatasetBox(Box(10, 0, 30, 20), ("2",)),
    )
    return DatasetImage("beach", 200, 100, captions, mentions, chains, boxes)


def dog() -> DatasetImage:
    """One caption, one mention, one box."""
    captions = (joined_caption(("A", "red", "dog")),)
    box = DatasetBox(Box(0, 0, 10, 10), ("5",))
    return DatasetImage(
        "dog", 20, 20, captions, (DatasetMention(0, 0, 3, ("animals",), "5"),), (DatasetChain("5"),), (box,)
    )
