"""Eligible workers [paper 3.1.1, 3.2]: a worker's earlier answers bar the worker from some questions.

- Nobody answers the same question twice, nor a question of which a judgment of theirs was voided.
- Nobody judges the quality of a box they drew.
- Nobody judges the coverage that their own drawing, or their own "none missing", has brought about; and the judges of a
  visit that led to no new box do not judge the same boxes again.
- Nobody whose vote is in a chain's requirement tally, by a requirement judgment or by "none missing" in box drawing,
  gives a second one, or draws before the chain's first accepted box.
- Nobody who said "none missing" is asked to draw the same chain again until a box was added.

So no worker alone makes a chain non-visual, or sends it to review.

Under the belief policy one rule takes the place of the last three: whether something is missing beside the same boxes,
or beside none, is asked of each worker once, be it in box requirement, drawing or coverage. And nobody judges the
coverage of the box that they drew last, or the quality of the same box twice. A box is drawn once more by somebody who
has neither drawn nor seen it.

A program judges no box that it proposed, nor the coverage that its box has brought about, unless
`own_proposals_judged` lets it. Programs that count as one opinion are barred together: see `kin_barred_from`.

Every other worker with access to the task may answer. Those who skipped are left out by
`pipeline.project.open_questions`.
"""

from collections.abc import Iterable, Iterator, Sequence

from pipeline.policies.engine import engine_of
from pipeline.protocol.state.heard_answer import HeardAnswer
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress, OpenQuestion
from pipeline.protocol.tasks.task import SURVEY_TASKS, Task
from pipeline.settings.settings import Settings

ABOUT_MISSING = frozenset({Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_COVERAGE})
"""The tasks that ask, each in its way, whether a box is missing."""
USUAL = Settings()


def barred_from(progress: ImageProgress, task: Task, subject: Sequence[int], settings: Settings = USUAL) -> list[int]:
    """Return the ids of the workers who may not answer a new question, in ascending order.

    Under the paper's loop `bar_from_visit` sees to it that drawers do not judge.
    """
    barred: Iterable[int | None] = ()
    chain = progress.chains.get(subject[0])
    if chain is not None and chain.heard and task in (*ABOUT_MISSING, Task.BOX_QUALITY):
        barred = _heard_before(progress, chain, task, subject, settings)
    elif task is Task.BOX_REQUIREMENT:
        barred = _voters(progress.chains[subject[0]])
    elif task is Task.BOX_DRAWING:
        chain = progress.chains[subject[0]]
        barred = [*chain.found_none, *(() if progress.accepted(chain.name) else _voters(chain))]
    elif task is Task.BOX_QUALITY:
        barred = [progress.boxes[subject[1]].worker]
    elif task is Task.BOX_COVERAGE:
        barred = progress.chains[subject[0]].coverage_barred
    elif task in SURVEY_TASKS:
        survey = progress.surveys[subject[0]]
        barred = [*(vote.worker for vote in survey.votes), *survey.voided]
    return sorted({worker for worker in barred if worker is not None})


def _heard_before(
    progress: ImageProgress, chain: ChainProgress, task: Task, subject: Sequence[int], settings: Settings
) -> Iterable[int | None]:
    """Yield the workers who have answered the same thing under the belief policy, voided answers included."""
    box = subject[1] if len(subject) > 1 else None
    if box is not None:  # of box quality, or of a second drawing, before which nobody has seen the box
        own = progress.boxes[box]
        yield who_may_not_judge(own, settings) if task is Task.BOX_QUALITY else own.worker
        yield from (one.worker for one in own.drawings)
        yield from (one.worker for one in chain.heard if one.again == box)
    if task is Task.BOX_QUALITY:
        yield from (one.worker for one in chain.heard if one.task is task and one.boxes == [box])
        return
    there = {one.number for one in progress.accepted(chain.name) if one.number != box}
    drawer = last_drawer(chain)
    for one in chain.heard:
        same = (one.task in ABOUT_MISSING and set(one.boxes) == there) or (box is not None and box in one.boxes)
        by_drawer = one.worker == drawer and one.task is Task.BOX_DRAWING
        if same and not (task is Task.BOX_COVERAGE and settings.drawer_judges_coverage and by_drawer):
            yield one.worker
    if task is Task.BOX_COVERAGE:
        yield from who_may_not_cover(chain, settings)


def who_may_not_judge(box: BoxProgress, settings: Settings) -> int | None:
    """Return the worker who may not judge the box under the belief policy, as it is theirs; None: all may."""
    return None if box.proposed and settings.own_proposals_judged else box.worker


def who_may_not_cover(chain: ChainProgress, settings: Settings) -> list[int | None]:
    """Return the workers who may not judge the coverage under the belief policy, having drawn the last box."""
    if settings.drawer_judges_coverage:
        return []
    drawn = _last_drawings(chain)
    return [one.worker for one in drawn if one.trust is None or not settings.own_proposals_judged]


def kin_barred_from(progress: ImageProgress, task: Task, subject: Sequence[int], settings: Settings) -> list[int]:
    """Return the jurors that may not answer because they count as one opinion with a program that may not, or has.

    In the lot each juror is asked for itself, so that answers show which of them are two.
    """
    if not settings.families or not engine_of(settings).has_jurors(task):
        return []
    of: list[int | None] = []
    chain = progress.chains[subject[0]]
    is_quality = task is Task.BOX_QUALITY
    shown = (*progress.accepted(chain.name), *progress.pending(chain.name))
    boxes = [subject[1]] if is_quality else sorted(box.number for box in shown)
    said = () if chain.in_lot else chain.heard
    same = (one for one in said if one.juror and one.task is task and sorted(one.boxes) == boxes)
    of += [one.worker for one in same if one.worker in settings.jurors and one.answer is not None]
    if is_quality:
        of.append(who_may_not_judge(progress.boxes[subject[1]], settings))
    elif task is Task.BOX_COVERAGE:
        of += who_may_not_cover(chain, settings)
    families = engine_of(settings).families_in(task)
    return families.kin([one for one in of if one is not None], settings.jurors)


def last_drawer(chain: ChainProgress) -> int | None:
    """Return the worker who drew last for the chain, or found none missing, under the belief policy."""
    return next((one.worker for one in reversed(list(_last_drawings(chain)))), None)


def _last_drawings(chain: ChainProgress) -> Iterator[HeardAnswer]:
    """Yield the drawings of the chain's last box once more, and then its first one."""
    for one in reversed(chain.heard):
        if one.task is Task.BOX_DRAWING:
            yield one
            if not one.is_second:
                return


def _voters(chain: ChainProgress) -> list[int]:
    return [vote.worker for vote in chain.requirement]


def voters_of(progress: ImageProgress, chain: ChainProgress) -> list[int]:
    """Return the ids of the workers who have voted on a chain or drawn for it, in ascending order."""
    drawn = (box.worker for box in progress.boxes.values() if box.chain == chain.name)
    voted = (vote.worker for vote in (*chain.requirement, *chain.coverage))
    heard = (one.worker for one in chain.heard)
    found = {*voted, *heard, *drawn, *chain.coverage_barred, *chain.found_none, chain.visit_drawer}
    return sorted(worker for worker in found if worker is not None)


def bar(question: OpenQuestion, *workers: int) -> None:
    """Bar workers, such as one who has answered, from a question that stays open."""
    question.barred = sorted({*question.barred, *workers})


def bar_from_visit(progress: ImageProgress, chain: ChainProgress, worker: int | None, *, may_judge: bool) -> None:
    """Bar the worker whose drawing, or whose "none missing", has just sent the chain to box coverage.

    `may_judge`: the requester of a small crew lets the drawer judge, too.
    """
    chain.visit_drawer = worker
    for question in () if may_judge else progress.open.values():
        if worker is not None and question.task is Task.BOX_COVERAGE and question.subject[0] == chain.name:
            bar(question, worker)


def bar_from_drawing(chain: ChainProgress, worker: int) -> None:
    """Bar a worker who said "none missing" from drawing the chain, until there is a new box."""
    chain.found_none = sorted({*chain.found_none, worker})


def drawer_judged(chain: ChainProgress) -> bool:
    """Return whether the drawer who led to the last coverage visit was one of its judges."""
    if chain.heard:
        first = [one.task is Task.BOX_DRAWING and not one.is_second for one in chain.heard]
        drawn = max((place for place, is_first in enumerate(first) if is_first), default=-1)
        visit = [one.worker for one in chain.heard[drawn + 1 :] if one.task is Task.BOX_COVERAGE]
        return drawn >= 0 and chain.heard[drawn].worker in visit
    return chain.visit_drawer is not None and any(vote.worker == chain.visit_drawer for vote in chain.coverage)


def keep_judges(chain: ChainProgress) -> None:
    """Bar the judges of a coverage visit from the next ones, until there is a new box to judge."""
    chain.coverage_barred = sorted({*chain.coverage_barred, *(vote.worker for vote in chain.coverage)})


def forget_judges(chain: ChainProgress) -> None:
    """Let earlier coverage judges, and drawers who found none missing, answer again: the chain has a new box."""
    chain.coverage_barred, chain.found_none = [], []
