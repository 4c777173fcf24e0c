"""Links that jurors judge [beyond paper 3.1.1]: what programs say of the links of an image, as far as it counts."""

from random import Random

from annotation.rules.transitivity import Pair
from belief.models.link_record import NOBODY_KNOWS
from belief.models.lot import LinkLot, lot_share
from pipeline.policies.engine import engine_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings


def draw_link_lot(progress: ImageProgress, settings: Settings) -> None:
    """Decide whether people answer about the links of the image whatever jurors say, if it is not decided yet.

    The lot follows from what the record holds, so it is the same whenever the record is read.
    """
    if progress.link_lot is None and (
        engine_of(settings).has_jurors(Task.COREFERENCE_LINK) or engine_of(settings).source.program
    ):
        records = engine_of(settings).links.jurors
        share = lot_share([records.get(str(juror), NOBODY_KNOWS) for juror in settings.jurors], settings.juror_lot)
        closely = max(settings.checked_lot - share, 0.0) if engine_of(settings).source.program else 0.0
        words = " ".join(one.text for _, one in sorted(progress.mentions.items()))
        drawn = Random(f"{progress.lot} links {words}").random()
        progress.link_lot = (
            LinkLot.PEOPLE if drawn < share else LinkLot.CLOSELY if drawn < share + closely else LinkLot.BOTH
        )


def told_by_jurors(progress: ImageProgress, settings: Settings) -> dict[Pair, float]:
    """Return for each judged pair the logarithm of the likelihood ratio of what jurors say, if it counts.

    Of jurors that count as one opinion the first counts. Above 0 it speaks for one thing, below 0 for two.
    """
    if progress.link_lot in (None, LinkLot.PEOPLE) or not engine_of(settings).has_jurors(Task.COREFERENCE_LINK):
        return {}
    records, families = engine_of(settings).links.jurors, engine_of(settings).families_in(Task.COREFERENCE_LINK)
    told: dict[Pair, float] = {}
    for pair, votes in progress.juror_votes.items():
        of_jurors = [vote for vote in votes if vote.worker in settings.jurors]
        counting = families.firsts(of_jurors, lambda vote: (vote.worker, None))
        told[pair] = sum(records.get(str(one.worker), NOBODY_KNOWS).ratio(same=one.answer) for one in counting)
    return told
