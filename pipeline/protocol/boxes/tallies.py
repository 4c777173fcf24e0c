"""Tallies of a chain [paper 3.2]: what the paper's loop counts, from the answers about the chain's boxes.

Models have no vote in any of them.
"""

from collections.abc import Collection, Iterator, Sequence

from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer, ChainProgress
from pipeline.protocol.tasks.box_quality import BoxQualityAnswer
from pipeline.protocol.tasks.box_requirement import RequirementAnswer
from pipeline.protocol.tasks.task import Task


def requirement(chain: ChainProgress) -> list[ChainAnswer]:
    """Return the votes on the chain's need of a box, of its whole life; see `requirement_answer`."""
    return [answer for answer in _requirement(chain) if answer.counts]


def requirement_answer(vote: ChainAnswer) -> RequirementAnswer:
    """Return what a vote on requirement says: of who found none missing, a vote for no box of neither kind."""
    found_none = vote.task is Task.BOX_DRAWING
    return RequirementAnswer.NONE_MISSING if found_none else RequirementAnswer(vote.value)


def requirement_voters(chain: ChainProgress) -> set[int | None]:
    """Return the workers who have voted on requirement, withdrawn votes included."""
    return {answer.worker for answer in _requirement(chain)}


def _requirement(chain: ChainProgress) -> Iterator[ChainAnswer]:
    for answer in _people(chain):
        drew_none = answer.task is Task.BOX_DRAWING and answer.value == NOTHING_DRAWN and not answer.boxes
        if answer.task is Task.BOX_REQUIREMENT or drew_none:
            yield answer


def visit(chain: ChainProgress) -> list[ChainAnswer]:
    """Return the votes of the present visit to coverage: those since a drawing or a judgment."""
    found: list[ChainAnswer] = []
    for answer in reversed(_people(chain)):
        if answer.task is not Task.BOX_COVERAGE:
            break
        found.append(answer)
    return [answer for answer in reversed(found) if answer.counts]


def judges(chain: ChainProgress, accepted: Collection[int]) -> set[int | None]:
    """Return who was asked about coverage since the last good box. `accepted`: the chain's accepted boxes."""
    return {answer.worker for answer in _since_good(chain, accepted) if answer.task is Task.BOX_COVERAGE}


def latest_drawer(chain: ChainProgress) -> int | None:
    """Return who drew last, or found none missing: whoever has led to the present visit to coverage."""
    drawn = (answer for answer in reversed(chain.answers) if answer.task is Task.BOX_DRAWING and answer.counts)
    return next((answer.worker for answer in drawn), None)


def found_none(chain: ChainProgress, accepted: Collection[int]) -> set[int | None]:
    """Return who found none missing since the last good box, or was to be spared by an expert."""
    drawn = (
        answer
        for answer in _since_good(chain, accepted)
        if answer.task is Task.BOX_DRAWING and answer.redraw_of is None
    )
    return {answer.worker for answer in drawn if answer.value in (NOTHING_DRAWN, None)}


def fruitless(chain: ChainProgress, accepted: Collection[int]) -> int:
    """Return the drawings since the last good box that brought none. A bad pre-annotation is no drawing."""
    since = _since_good(chain, accepted)
    none = [
        answer
        for answer in since
        if answer.task is Task.BOX_DRAWING and answer.value == NOTHING_DRAWN and answer.redraw_of is None
    ]
    bad = {
        answer.boxes[0] for answer in since if answer.task is Task.BOX_QUALITY and answer.value == BoxQualityAnswer.BAD
    }
    return len(none) + len(bad.difference(answer.value for answer in chain.answers if answer.is_pre_annotation))


def _since_good(chain: ChainProgress, accepted: Collection[int]) -> Sequence[ChainAnswer]:
    """Return the answers since the last box that was judged good, or drawn and kept without that."""
    answers = _people(chain)
    for place in reversed(range(len(answers))):
        answer = answers[place]
        judged = answer.task is Task.BOX_QUALITY and answer.value == BoxQualityAnswer.GOOD
        if answer.counts and (judged or (answer.task is Task.BOX_DRAWING and answer.value in accepted)):
            return answers[place + 1 :]
    return answers


def _people(chain: ChainProgress) -> list[ChainAnswer]:
    return [answer for answer in chain.answers if not answer.is_judged_by_model]


def drawer_judged(chain: ChainProgress) -> bool:
    """Return whether the drawer who led to the last visit to coverage was one of its judges."""
    counted = [answer for answer in chain.answers if answer.counts]
    drawn = [
        place for place, answer in enumerate(counted) if answer.task is Task.BOX_DRAWING and not answer.is_redrawing
    ]
    since = counted[drawn[-1] :] if drawn else []
    judges = {answer.worker for answer in since if answer.task is Task.BOX_COVERAGE}
    return bool(since) and since[0].worker is not None and since[0].worker in judges
