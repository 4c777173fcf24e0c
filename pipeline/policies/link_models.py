"""Models that judge links [beyond paper 3.1.1]: what they say of the links of an image, as far as it counts."""

from collections.abc import Collection
from random import Random

from annotation.rules.transitivity import Pair
from belief.models.audit import LinkAudit, audit_share
from belief.models.records import NEW_LINK_MODEL
from pipeline.policies.engine import engine_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

LOT = "lot"
"""The key of `ImageProgress.notes` that holds the fate of the image's links in the lot."""


def lot_of(image: ImageProgress) -> LinkAudit | None:
    """Return what the lot has decided; None: no model was at work when the links were first asked about."""
    return LinkAudit(image.notes[LOT]) if LOT in image.notes else None


def draw_lot_of_links(image: ImageProgress, settings: Settings) -> LinkAudit | None:
    """Return what the lot has decided, or decides now: whether people answer about the links whatever models say.

    The lot follows from what the record holds, so it is the same whenever the record is read. None: it decides nothing,
    as no model is at work, and no data set is checked.
    """
    engine, drawn = engine_of(settings), lot_of(image)
    if drawn is not None or not (engine.has_jurors(Task.COREFERENCE_LINK) or engine.source.program):
        return drawn
    records = engine.links.jurors
    share = audit_share([records.get(str(model), NEW_LINK_MODEL) for model in settings.jurors], settings.juror_lot)
    closely = max(settings.checked_lot - share, 0.0) if engine.source.program else 0.0
    words = " ".join(one.text for _, one in sorted(image.mentions.items()))
    place = Random(f"{image.lot} links {words}").random()
    return LinkAudit.PEOPLE if place < share else LinkAudit.CLOSELY if place < share + closely else LinkAudit.BOTH


def told_by_models(image: ImageProgress, settings: Settings, lot: LinkAudit | None) -> dict[Pair, float]:
    """Return for each judged pair the logarithm of the likelihood ratio of what models say, if it counts.

    Of models that count as one opinion the first counts. Above 0 it speaks for one thing, below 0 for two.
    """
    engine = engine_of(settings)
    if lot in (None, LinkAudit.PEOPLE) or not engine.has_jurors(Task.COREFERENCE_LINK):
        return {}
    records, families = engine.links.jurors, engine.families_in(Task.COREFERENCE_LINK)
    told: dict[Pair, float] = {}
    for pair, votes in image.votes_by(model=True).items():
        of_models = [vote for vote in votes if vote.worker in settings.jurors]
        counting = families.firsts(of_models, lambda vote: (vote.worker, None))
        told[pair] = sum(records.get(str(one.worker), NEW_LINK_MODEL).ratio(same=one.answer) for one in counting)
    return told


def kin_of_judges(image: ImageProgress, pair: Pair, settings: Settings) -> Collection[int]:
    """Return the models that may not answer because they count as one opinion with one that has.

    In the lot each model is asked for itself, so that answers show which of them are two.
    """
    if not settings.families or draw_lot_of_links(image, settings) is LinkAudit.PEOPLE:
        return ()
    votes = [vote.worker for vote in image.votes.get(pair, ()) if vote.by_model and vote.worker in settings.jurors]
    return engine_of(settings).families_in(Task.COREFERENCE_LINK).kin(votes, settings.jurors)
