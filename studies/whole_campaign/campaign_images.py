"""Images of a data set as a campaign begins with them, and their gold."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from exchange.dataset import DatasetImage
from exchange.import_image import gold_of, words_of
from pipeline.rules.linking.transitivity import LinkMention, groups
from pipeline.rules.progress.mention_progress import MentionProgress
from simulation.predict.subject import Subject
from simulation.view import GoldImage


class CampaignImage(NamedTuple):
    """One image to annotate."""

    subject: Subject
    gold: GoldImage


def campaign_images(images: Iterable[DatasetImage]) -> list[CampaignImage]:
    """Return the images whose phrases all have a gold chain and a type."""
    return [
        CampaignImage(_subject(image), GoldImage.make(image.name, image.width, image.height, gold_of(image)))
        for image in images
        if image.mentions and all(mention.chain is not None and mention.types for mention in image.mentions)
    ]


def _subject(image: DatasetImage) -> Subject:
    mentions = tuple(
        MentionProgress(number, one.caption, one.start, one.end, list(one.types), words_of(image, one))
        for number, one in enumerate(image.mentions)
    )
    return Subject(image.name, image.width, image.height, mentions)


def known_groups(images: Iterable[CampaignImage]) -> Iterator[tuple[Sequence[LinkMention], Sequence[Hashable]]]:
    """Yield every group of mentions, with the gold chain of each mention."""
    for mentions, chains in known_images(images):
        chain_of = {mention.number: chain for mention, chain in zip(mentions, chains, strict=True)}
        for group in groups(mentions):
            yield group, [chain_of[mention.number] for mention in group]


def known_images(images: Iterable[CampaignImage]) -> Iterator[tuple[Sequence[LinkMention], Sequence[Hashable]]]:
    """Yield the mentions of every image, with the gold chain of each."""
    for subject, gold in images:
        yield subject.for_links(), [gold.chain_of[mention.number].name for mention in subject.mentions]
