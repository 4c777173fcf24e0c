"""Models that judge links [beyond paper 3.1.1]: what they say of the links of an image, as far as it counts."""

from collections.abc import Collection
from random import Random

from annotation.rules.transitivity import Pair
from belief.models.audit import LinkAudit, audit_share
from belief.models.records import NEW_LINK_MODEL
from pipeline.policies.engine import Engine
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import Task

AUDIT = "audit"
"""The key of `ImageProgress.notes` that holds the fate of the image's links in the audit."""


def link_audit_of(image: ImageProgress) -> LinkAudit | None:
    """Return what the audit has decided; None: no model was at work when the links were first asked about."""
    return LinkAudit(image.notes[AUDIT]) if AUDIT in image.notes else None


def draw_link_audit(image: ImageProgress, engine: Engine) -> LinkAudit | None:
    """Return what the audit has decided, or decides now: whether people answer about the links whatever models say.

    The audit follows from what the record holds, so it is the same whenever the record is read. None: it decides
    nothing, as no model is at work, and no data set is checked.
    """
    settings, drawn = engine.settings, link_audit_of(image)
    if drawn is not None or not (engine.has_model_annotators(Task.COREFERENCE_LINK) or engine.source.program):
        return drawn
    records = settings.learned.links.model_annotators
    share = audit_share(
        [records.get(str(model), NEW_LINK_MODEL) for model in settings.model_annotators], settings.audit_rate
    )
    closely = max(settings.check_audit_rate - share, 0.0) if engine.source.program else 0.0
    words = " ".join(mention.text for _, mention in sorted(image.mentions.items()))
    place = Random(f"{image.seed} links {words}").random()
    return LinkAudit.PEOPLE if place < share else LinkAudit.CLOSELY if place < share + closely else LinkAudit.BOTH


def evidence_of_models(image: ImageProgress, engine: Engine, audit: LinkAudit | None) -> dict[Pair, float]:
    """Return for each judged pair the logarithm of the likelihood ratio of what models say, if it counts.

    Of models that count as one opinion the first counts. Above 0 it speaks for one thing, below 0 for two.
    """
    if audit in (None, LinkAudit.PEOPLE) or not engine.has_model_annotators(Task.COREFERENCE_LINK):
        return {}
    records, families = engine.settings.learned.links.model_annotators, engine.families_in(Task.COREFERENCE_LINK)
    told: dict[Pair, float] = {}
    for pair, votes in image.votes_by(model=True).items():
        of_models = [vote for vote in votes if vote.worker in engine.settings.model_annotators]
        counting = families.firsts(of_models, lambda vote: (vote.worker, None))
        told[pair] = sum(records.get(str(vote.worker), NEW_LINK_MODEL).ratio(same=vote.answer) for vote in counting)
    return told


def relatives_of_judges(image: ImageProgress, pair: Pair, engine: Engine) -> Collection[int]:
    """Return the models that may not answer because they count as one opinion with one that has.

    In the audit each model is asked for itself, so that answers show which of them are two.
    """
    settings = engine.settings
    if not settings.model_families or draw_link_audit(image, engine) is LinkAudit.PEOPLE:
        return ()
    votes = [
        vote.worker for vote in image.votes.get(pair, ()) if vote.by_model and vote.worker in settings.model_annotators
    ]
    return engine.families_in(Task.COREFERENCE_LINK).relatives(votes, settings.model_annotators)
