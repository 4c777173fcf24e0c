"""Other links [beyond paper 3.1.1]: what the text and the other links of an image say of each link that was judged."""

from pipeline.rules.image.plan_group import heard_of
from pipeline.rules.linking.adaptive.plan_adaptively import told_by_others
from pipeline.rules.linking.transitivity import Pair, groups
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings


def told_by_other_links(progress: ImageProgress, settings: ProtocolSettings) -> dict[Pair, float]:
    """Return for each judged pair the chance, 0 to 1, that it is together, whatever was answered to it itself.

    So one answer can be checked without asking a second worker.
    """
    heard, told = heard_of(progress), dict[Pair, float]()
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        told |= told_by_others(group, heard, prior=settings.prior(), errors=settings.errors(), given=progress.given)
    return told
