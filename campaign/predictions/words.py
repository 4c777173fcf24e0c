"""Results of an import of predictions in words, for the page and the command."""

from collections.abc import Iterator

from campaign.predictions.keep_predictions import Kept
from campaign.predictions.phrases import MOST_BOXES


def in_words(kept: Kept) -> Iterator[str]:
    """Yield a sentence for what was kept, and one for everything that was not."""
    yield f"Kept: {kept.boxes:,} boxes and {kept.chains:,} chains of {kept.images:,} images."
    if kept.unchanged:
        yield f"{kept.unchanged:,} images are as they were imported before."
    if kept.unused:
        yield f"{kept.unused:,} boxes have a category that fits no phrase of their image."
    if kept.beyond:
        yield f"{kept.beyond:,} boxes come behind the {MOST_BOXES} best ones of their phrase and were left out."
    if kept.unknown:
        some = ", ".join(kept.unknown[:3]) + (", …" if len(kept.unknown) > 3 else "")
        yield f"{len(kept.unknown):,} images are not in the project: {some}"
