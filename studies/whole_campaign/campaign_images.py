"""Images of a data set as a campaign begins with them, and their gold."""

from collections.abc import Iterable
from typing import NamedTuple

from exchange.dataset import DatasetImage
from exchange.import_image import gold_of, words_of
from pipeline.rules.progress.mention_progress import MentionProgress
from simulation.predict.subject import Subject
from simulation.view import GoldImage
from studies.linking.known import Known


class CampaignImage(NamedTuple):
    """One image to annotate."""

    subject: Subject
    gold: GoldImage

    def known(self) -> Known:
        """Return the mentions, and the gold chain of each."""
        return self.subject.for_links(), [self.gold.chain_of[one.number].name for one in self.subject.mentions]


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
