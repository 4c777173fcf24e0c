"""Find what an image of a source has too much of."""

from collections import Counter

from annotation.bounds import (
    LONGEST_CAPTION,
    LONGEST_CATEGORY,
    LONGEST_PHRASE,
    MOST_BOXES,
    MOST_CAPTIONS,
    MOST_PHRASES,
    MOST_PHRASES_OF_CAPTION,
)
from exchange.dataset import DatasetImage
from exchange.import_image import words_of


def beyond_bounds(image: DatasetImage) -> str:
    """Describe what is too long or too much (annotation/bounds.py); empty if nothing is."""
    for number, caption in enumerate(image.captions, start=1):
        if len(caption.text) > LONGEST_CAPTION:
            return f"caption {number} has {len(caption.text):,} characters: at most {LONGEST_CAPTION:,} are allowed"
    for mention in image.mentions:
        if len(words_of(image, mention)) > LONGEST_PHRASE:
            return f"a phrase of caption {mention.caption + 1} is longer than {LONGEST_PHRASE} characters"
    if any(len(box.category) > LONGEST_CATEGORY for box in image.boxes):
        return f"a category's name is longer than {LONGEST_CATEGORY} characters"
    for count, most, what in (
        (len(image.captions), MOST_CAPTIONS, "captions"),
        (len(image.boxes), MOST_BOXES, "boxes"),
        (len(image.mentions), MOST_PHRASES, "phrases"),
    ):
        if count > most:
            return f"it has {count:,} {what}: at most {most:,} are allowed"
    by_caption = Counter(mention.caption for mention in image.mentions)
    return next(
        (
            f"caption {caption + 1} has {count:,} phrases: at most {MOST_PHRASES_OF_CAPTION} are allowed"
            for caption, count in by_caption.items()
            if count > MOST_PHRASES_OF_CAPTION
        ),
        "",
    )
