"""Reasons of doubt in words, as the page Check and its rows say them."""

from pipeline.checking.reasons import DoubtReason, Why
from pipeline.protocol.state.progress import ImageProgress
from runtime.words import counted, percent


def describe_reason(reason: DoubtReason, progress: ImageProgress) -> str:
    """Return a reason as a sentence about the label. `progress`: of its image."""

    def phrase(number: int | None) -> str:
        return f"“{progress.mentions[number].text}”" if number in progress.mentions else "another phrase"

    own, other, share = phrase(reason.mention), phrase(reason.other), percent(reason.chance or 0, chance=True)
    count, programs = reason.number or 0, reason.programs or 0
    boxes = "no box" if count == 0 else counted(count, "box", "boxes")
    match reason.why:
        case Why.SOURCE:
            return "The data set has other phrases together."
        case Why.PROGRAM_LINKS:
            others = "Another program has" if programs == 1 else f"{programs} other programs have"
            return f"{others} other phrases together."
        case Why.ALIKE:
            return f"{other} of another chain may be the same as {own}: {share} likely."
        case Why.APART:
            return f"{own} and {other} may be two things: {share} likely one."
        case Why.PEOPLE_LINKS:
            return f"{_who(count, programs)} otherwise about its phrases."
        case Why.PROGRAM_NUMBER:
            return f"Another program found {counted(programs, 'box', 'boxes') if programs else 'no box'}, not {count}."
        case Why.PROGRAM_BOX:
            return f"{'A box is' if count == 1 else f'{count} boxes are'} not where another program found one."
        case Why.SAME_BOX:
            return f"{other} has the same box ({share} overlap)."
        case Why.INSIDE:
            return f"A box lies inside one of {other}, which has a type in common."
        case Why.NUMBER:
            return f"A chain like this rarely has {boxes}: {share} do."
        case Why.BAD:
            return f"{_who(count, programs)} that a box is bad."
        case Why.MISSING:
            return f"{_who(count, programs)} that a box is missing."
        case Why.NO_BOX:
            return f"{_who(count, programs)} that no box is needed."
        case Why.NEEDS_BOX:
            return f"{_who(count, programs)} that a box is needed."
        case Why.TYPE:
            return f"The dictionaries have {own} as {' or '.join(reason.types)}."


def _who(people: int, programs: int) -> str:
    """Return who answered, as the beginning of a sentence."""
    told = []
    if people:
        told.append("one person" if people == 1 else f"{people} people")
    if programs:
        told.append("a program" if programs == 1 else counted(programs, "program"))
    said = " and ".join(told)
    return f"{said[:1].upper()}{said[1:]} said"
