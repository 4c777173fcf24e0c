"""Sentences on the use of a program: what the project does with its links and boxes, and what is expected of the next.

The promise follows from what became of the boxes that were tried, and not from the trust inside the policy. That
is told, too, as the policy acts on it, but apart.
"""

from typing import NamedTuple

from belief.boxes.box_prior import BoxPrior
from belief.boxes.next_box_question import MIN_GOOD
from belief.links.program_links import WEAK, VerdictErrors, log_ratios
from pipeline.known.prediction_score import Basis, PredictionQuality
from pipeline.policies.compose import compose, engine_of
from pipeline.policies.models import trust_in
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from runtime.words import interval, percent


class Use(NamedTuple):
    """The use that the project makes of boxes or links, in words; and apart, the shares that it assumes."""

    words: str
    assumed: str = ""
    used: bool = True
    """Off if the program changes nothing: the words then say why."""


OFF = Use("Not used: the setting is off.", used=False)
SCORES = (10, 30, 50, 70, 90)
"""A score in percent of each part of the scores that is trusted apart."""


def links_in_use(program: int, settings: Settings) -> Use:
    """Return how the links of a program that predicts chains are used. `program`: its number."""
    if not settings.pre_annotations:
        return OFF
    if not compose(settings).links.reads_predicted_chains:
        return Use("Not used: only the adaptive strategy reads predicted chains.", used=False)
    known = settings.learned.programs.get(str(program))
    missed, false = VerdictErrors(*known) if known else WEAK
    assumed = (
        f"The adaptive strategy assumes that it joins {percent(1 - missed)} of the pairs that are one thing, and "
        f"{percent(false)} of those that are not."
    )
    if known is None:
        return Use("Used with caution: no answers tell yet how often they are right.", assumed)
    if log_ratios(VerdictErrors(missed, false)) == (0.0, 0.0):
        return Use("Set aside, as they say no more than a guess.", assumed, used=False)
    return Use("Used.", assumed)


def boxes_in_use(
    program: int, quality: PredictionQuality | None, foreseen: PredictionQuality | None, settings: Settings
) -> Use:
    """Return how the boxes of a program are used.

    `quality`: of its boxes; `foreseen`: of its boxes for phrases whose boxes are known, tried or not.
    """
    if not settings.pre_annotations:
        return OFF
    return BOXES[settings.box_policy](program, quality, foreseen, settings)


def _tried(
    program: int, quality: PredictionQuality | None, foreseen: PredictionQuality | None, settings: Settings
) -> Use:
    return Use(f"Used: each is tried, however many are bad. {_expected(quality)}", _foreseen(quality, foreseen))


def _weighed(
    program: int, quality: PredictionQuality | None, foreseen: PredictionQuality | None, settings: Settings
) -> Use:
    prior = engine_of(settings).box_rules.prior
    trust = max(trust_in(program, score, prior) for score in (None, *SCORES))
    used = trust >= MIN_GOOD
    if not used:
        use = f"Set aside, as too few are good: no more are shown. {_became(quality)}"
    else:
        use = f"Used where they save more work than they make. {_expected(quality)}"
    assumed = (
        f"The policy assumes that where a box is missing {percent(trust_in(program, None, prior))} of its boxes show "
        "it: it allows for wrong answers of workers, and leaves out chains without a box."
    )
    return Use(use, " ".join(filter(None, (_foreseen(quality, foreseen), assumed, _numbers(program, prior)))), used)


BOXES = {BoxPolicyName.PAPER: _tried, BoxPolicyName.BELIEF: _weighed}
"""The sentence on the use of boxes, by box policy."""


def _became(quality: PredictionQuality | None) -> str:
    if quality is None:
        return "None was tried yet."
    if quality.basis is Basis.TRIED:
        return f"{quality.right} of {quality.total} that were tried {'was' if quality.right == 1 else 'were'} kept."
    return f"{quality.right} of {quality.total} are right where the boxes are known."


def _expected(quality: PredictionQuality | None) -> str:
    """Return what became of boxes, and what is expected of the next ones."""
    if quality is None:
        return f"{_became(quality)} Nothing tells how many of the next are good."
    fate = "kept" if quality.basis is Basis.TRIED else "right"
    return (
        f"{_became(quality)} About {percent(quality.share.value)} of the next are expected to be {fate} "
        f"({interval(quality.share.low, quality.share.high)})."
    )


def _foreseen(quality: PredictionQuality | None, foreseen: PredictionQuality | None) -> str:
    """Return how many boxes are right where the boxes are known, if that is not the quality itself."""
    if quality is None or foreseen is None or quality.basis is not Basis.TRIED:
        return ""
    return (
        f"Tried or not, its best box is right for {foreseen.right} of {foreseen.total} phrases whose boxes are known: "
        f"workers may still find a right box superfluous."
    )


def _numbers(program: int, prior: BoxPrior) -> str:
    """Return a sentence on what the numbers of proposed boxes tell; empty if nothing is known of them."""
    record = prior.programs.get(str(program))
    if record is None or not record.numbers:
        return ""
    right, chains = sum(row[place] for place, row in enumerate(record.numbers)), sum(map(sum, record.numbers))
    return (
        f"How many it proposes is weighed too: for {right:g} of {chains:g} finished chains that was the right number."
    )
