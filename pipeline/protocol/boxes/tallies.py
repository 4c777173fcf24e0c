"""Tallies of a chain [paper 3.2]: what the paper's loop counts, from the answers about the chain's boxes.

Models have no vote in any of them.
"""

from collections.abc import Collection, Iterator, Sequence

from pipeline.protocol.state.answer import NOTHING_DRAWN, Answer
from pipeline.protocol.state.progress import ChainProgress
from pipeline.protocol.tasks import box_quality, box_requirement
from pipeline.protocol.tasks.task import Task


def requirement(chain: ChainProgress) -> list[Answer]:
    """Return the votes on the chain's need of a box, of its whole life; see `need`."""
    return [one for one in _requirement(chain) if one.counts]


def need(vote: Answer) -> box_requirement.Answer:
    """Return what a vote on requirement says: of who found none missing, a vote for no box of neither kind."""
    found_none = vote.task is Task.BOX_DRAWING
    return box_requirement.Answer.NONE_MISSING if found_none else box_requirement.Answer(vote.said)


def asked_of_need(chain: ChainProgress) -> set[int | None]:
    """Return the workers who have voted on requirement, withdrawn votes included."""
    return {one.worker for one in _requirement(chain)}


def _requirement(chain: ChainProgress) -> Iterator[Answer]:
    for one in _people(chain):
        drew_none = one.task is Task.BOX_DRAWING and one.said == NOTHING_DRAWN and not one.boxes
        if one.task is Task.BOX_REQUIREMENT or drew_none:
            yield one


def visit(chain: ChainProgress) -> list[Answer]:
    """Return the votes of the present visit to coverage: those since a drawing or a judgment."""
    found: list[Answer] = []
    for one in reversed(_people(chain)):
        if one.task is not Task.BOX_COVERAGE:
            break
        found.append(one)
    return [one for one in reversed(found) if one.counts]


def judges(chain: ChainProgress, kept: Collection[int]) -> set[int | None]:
    """Return who was asked about coverage since the last good box. `kept`: the chain's accepted boxes."""
    return {one.worker for one in _since_good(chain, kept) if one.task is Task.BOX_COVERAGE}


def last_drawer(chain: ChainProgress) -> int | None:
    """Return who drew last, or found none missing: whoever has led to the present visit to coverage."""
    drawn = (one for one in reversed(chain.answers) if one.task is Task.BOX_DRAWING and one.counts)
    return next((one.worker for one in drawn), None)


def found_none(chain: ChainProgress, kept: Collection[int]) -> set[int | None]:
    """Return who found none missing since the last good box, or was to be spared by an expert."""
    drawn = (one for one in _since_good(chain, kept) if one.task is Task.BOX_DRAWING and one.again is None)
    return {one.worker for one in drawn if one.said in (NOTHING_DRAWN, None)}


def fruitless(chain: ChainProgress, kept: Collection[int]) -> int:
    """Return the drawings since the last good box that brought none. A bad pre-annotation is no drawing."""
    since = _since_good(chain, kept)
    none = [one for one in since if one.task is Task.BOX_DRAWING and one.said == NOTHING_DRAWN and one.again is None]
    bad = {one.boxes[0] for one in since if one.task is Task.BOX_QUALITY and one.said == box_quality.Answer.BAD}
    return len(none) + len(bad.difference(one.said for one in chain.answers if one.is_pre_annotation))


def _since_good(chain: ChainProgress, kept: Collection[int]) -> Sequence[Answer]:
    """Return the answers since the last box that was judged good, or drawn and kept without that."""
    every = _people(chain)
    for place in reversed(range(len(every))):
        one = every[place]
        judged = one.task is Task.BOX_QUALITY and one.said == box_quality.Answer.GOOD
        if one.counts and (judged or (one.task is Task.BOX_DRAWING and one.said in kept)):
            return every[place + 1 :]
    return every


def _people(chain: ChainProgress) -> list[Answer]:
    return [one for one in chain.answers if not one.is_judged_by_model]


def drawer_judged(chain: ChainProgress) -> bool:
    """Return whether the drawer who led to the last visit to coverage was one of its judges."""
    counted = [one for one in chain.answers if one.counts]
    drawn = [place for place, one in enumerate(counted) if one.task is Task.BOX_DRAWING and not one.is_second]
    since = counted[drawn[-1] :] if drawn else []
    judges = {one.worker for one in since if one.task is Task.BOX_COVERAGE}
    return bool(since) and since[0].worker is not None and since[0].worker in judges
