"""Hypothesis strategies: images with captions, mentions, chains and boxes as a merged project would hold them.
Two images whose statistics are easy to count by hand.
"""

from hypothesis import strategies as st

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention
from exchange.split_captions import joined_caption

letters = st.characters(exclude_categories=("C", "Z"), exclude_characters="[]")
words = st.lists(st.text(letters, min_size=1, max_size=6), min_size=1, max_size=8).map(tuple)
types = st.lists(st.sampled_from([str(kind) for kind in MentionType]), min_size=0, max_size=3, unique=True).map(tuple)


@st.composite
def spans(draw: st.DrawFn, length: int) -> list[tuple[int, int]]:
    """Draw spans of words that do not overlap, in order."""
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=6, unique=True)))
    return list(zip(cuts[::2], cuts[1::2], strict=False))


@st.composite
def boxes(draw: st.DrawFn, width: int, height: int) -> Box:
    """Draw a box inside an image of this size."""
    x0, y0 = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    return Box(x0, y0, draw(st.integers(x0 + 1, width)), draw(st.integers(y0 + 1, height)))


@st.composite
def dataset_images(draw: st.DrawFn, name: str = "1") -> DatasetImage:
    """Draw an image without a picture, with chains in the order of their first mentions."""
    width, height = draw(st.integers(1, 900)), draw(st.integers(1, 900))
    numbers = draw(st.lists(st.integers(1, 10**9).map(str), min_size=1, max_size=4, unique=True))
    captions, mentions = [], []
    for number in range(draw(st.integers(1, 3))):
        text = draw(words)
        non_visual = []
        for start, end in draw(spans(len(text))):
            if draw(st.booleans()):
                chain = draw(st.sampled_from(numbers))
                mentions.append(DatasetMention(number, start, end, draw(types), chain))
            else:
                non_visual.append((start, end))
        captions.append(joined_caption(text, non_visual=tuple(non_visual)))
    used = list(dict.fromkeys(mention.chain for mention in mentions if mention.chain))
    chains = tuple(DatasetChain(chain, draw(st.booleans()), draw(st.booleans())) for chain in used)
    pointing = st.lists(st.sampled_from(used), min_size=1, unique=True).map(tuple) if used else st.nothing()
    box = st.builds(DatasetBox, boxes(width, height), pointing)
    drawn = tuple(draw(st.lists(box, max_size=3))) if used else ()
    return DatasetImage(name, width, height, tuple(captions), tuple(mentions), chains, drawn)


@st.composite
def several_images(draw: st.DrawFn) -> list[DatasetImage]:
    """Draw a few images, in the order in which readers yield them."""
    return [draw(dataset_images(name=str(number))) for number in range(1, draw(st.integers(1, 3)) + 1)]


PHRASES = (("people", "the woman"), ("people", "two men"), ("animals", "a dog"), ("clothing", "her hats"))
WIDE, HIGH = 320, 240


@st.composite
def labelled_images(draw: st.DrawFn, name: str = "a") -> DatasetImage:
    """Draw an image whose every phrase has a chain: with up to 30 boxes, of which some lie close together, or a flag.

    A chain may reach over captions, and may have two phrases of one caption. A box may show several chains.
    """
    said = draw(st.lists(st.lists(st.sampled_from(PHRASES), min_size=1, max_size=3), min_size=1, max_size=3))
    captions = tuple(joined_caption(tuple(" and ".join(text for _, text in one).split())) for one in said)
    mentions = tuple(
        DatasetMention(caption, 3 * place, 3 * place + 2, (kind,), str(draw(st.integers(1, 4))))
        for caption, one in enumerate(said)
        for place, (kind, _) in enumerate(one)
    )
    placed, flagged = list[DatasetBox](), list[DatasetChain]()
    for chain in dict.fromkeys(str(one.chain) for one in mentions):
        count = draw(st.sampled_from([0, 1, 1, 2, 5, 12, 30]))
        first = draw(boxes(WIDE // 2, HIGH // 2))
        own = [Box(first.x0 + by, first.y0, first.x1 + by, first.y1) for by in range(count)]
        if draw(st.booleans()):
            own = draw(st.lists(boxes(WIDE, HIGH), min_size=count, max_size=count, unique=True))
        placed += [DatasetBox(box, (chain,)) for box in own]
        flag = "" if count else draw(st.sampled_from(["", "scene", "no box"]))
        flagged.append(DatasetChain(chain, flag == "scene", flag == "no box"))
    if draw(st.booleans()) and placed:
        placed[0] = DatasetBox(placed[0].box, tuple(dict.fromkeys([*placed[0].chains, flagged[-1].name])))
    parts = captions, mentions, tuple(flagged), tuple(placed)
    return DatasetImage(name, WIDE, HIGH, *parts, path=f"{name}.jpg", coco_id=7)


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
