"""Bounds of what an image of an import may have."""

from collections import Counter

from annotation.bounds import (
    LONGEST_CAPTION,
    LONGEST_CATEGORY,
    LONGEST_PHRASE,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_CAPTIONS_TO_ANNOTATE,
    MOST_PHRASES,
    MOST_PHRASES_OF_CAPTION,
)
from exchange.dataset import DatasetImage, DatasetMention


def words_of(image: DatasetImage, mention: DatasetMention) -> str:
    return " ".join(image.captions[mention.caption].words[mention.start : mention.end])


def describe_excess(image: DatasetImage, *, to_annotate: bool = False) -> str:
    """Describe what is too long or too much (annotation/bounds.py); empty if nothing is.

    An image whose phrases all have their chains may have more captions than one that is still to be annotated.
    `to_annotate`: such an image is, too, since its chains are gold or pre-annotations.
    """
    for number, caption in enumerate(image.captions, start=1):
        if len(caption.text) > LONGEST_CAPTION:
            return f"caption {number} has {len(caption.text):,} characters: at most {LONGEST_CAPTION:,} are allowed"
    for mention in image.mentions:
        if len(words_of(image, mention)) > LONGEST_PHRASE:
            return f"a phrase of caption {mention.caption + 1} is longer than {LONGEST_PHRASE} characters"
    if any(len(box.category) > LONGEST_CATEGORY for box in image.boxes):
        return f"a category's name is longer than {LONGEST_CATEGORY} characters"
    if len(image.boxes) > MOST_BOXES:
        return f"it has {len(image.boxes):,} boxes: at most {MOST_BOXES:,} are allowed"
    return _too_many(image, to_annotate=to_annotate) or next(
        (
            f"caption {caption + 1} has {count:,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed"
            for caption, count in Counter(mention.caption for mention in image.mentions).items()
            if count > MOST_PHRASES_OF_CAPTION
        ),
        "",
    )


def _too_many(image: DatasetImage, *, to_annotate: bool) -> str:
    """Say how many captions or phrases are too many, and whether more captions would be allowed if annotated."""
    captions, phrases = len(image.captions), len(image.mentions)
    for count, most, what in ((captions, MOST_CAPTIONS, "captions"), (phrases, MOST_PHRASES, "phrases")):
        if count > most:
            return f"it has {count:,} {what}: at most {most:,} are allowed"
    has_chains = bool(phrases) and all(mention.chain is not None for mention in image.mentions)
    if captions > MOST_CAPTIONS_TO_ANNOTATE and (to_annotate or not has_chains):
        way_out = (
            f"{MOST_CAPTIONS:,} if its chains are imported as annotations"
            if has_chains
            else f"{MOST_CAPTIONS:,} of an image whose phrases all have chains"
        )
        allowed = f"at most {MOST_CAPTIONS_TO_ANNOTATE:,} are allowed of an image that is still to be annotated"
        return f"it has {captions:,} captions: {allowed}, {way_out}"
    return ""
