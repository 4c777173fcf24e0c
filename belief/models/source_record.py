"""Record of a source [beyond paper 3.2]: what is taken to be known of the boxes of a data set that is being checked."""

from dataclasses import replace
from functools import lru_cache

from annotation.rules.same_object import SameObject
from belief.boxes.box_prior import BoxPrior, ProgramRecord
from belief.models.program_trust import NO_BOXES
from belief.models.source import Source


def with_source(prior: BoxPrior, source: Source) -> BoxPrior:
    """Return the prior with the requester's guess added to what was learned of the source. Equal ones are shared."""
    return _with(SameObject(prior), source) if source.program else prior


@lru_cache(maxsize=64)
def _with(prior: SameObject[BoxPrior], source: Source) -> BoxPrior:
    name, learned = str(source.program), prior.value.programs.get(str(source.program))
    good, bad = source.of_boxes(()).boxes()
    learned = learned or ProgramRecord(NO_BOXES, NO_BOXES)
    if source.is_learned:
        learned = replace(learned, good=NO_BOXES, bad=NO_BOXES)  # those that were judged are the doubtful ones
    record = ProgramRecord(
        (*learned.good[:-1], learned.good[-1] + good),
        (*learned.bad[:-1], learned.bad[-1] + bad),
        learned.numbers,
    )
    return replace(prior.value, programs={**prior.value.programs, name: record})
