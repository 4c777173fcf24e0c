"""The fate of answers of programs that judge, and the work of people with and without them."""

from typing import Any

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.rules.jurors.lot import LinkLot
from pipeline.rules.progress.heard_answer import NOTHING_DRAWN, HeardAnswer
from pipeline.rules.progress.progress import ChainProgress, ImageProgress, Vote
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from reports.program_answers import Fate, ProgramAnswers

ADA, BEA, QWEN = 1, 2, 9
REQUIRED, DREW, QUALITY, COVERED = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE


def heard(worker: int, task: Task, answer: Any, *boxes: int) -> HeardAnswer:
    return HeardAnswer(1, worker, task, answer, list(boxes), juror=worker == QWEN)


def chain(*answers: HeardAnswer, state: ChainState = ChainState.COMPLETE, in_lot: bool | None = False) -> ImageProgress:
    return ImageProgress(chains={0: ChainProgress(0, [0], state, heard=list(answers), in_lot=in_lot)})


def counted(*images: ImageProgress, at_work: tuple[int, ...] = (QWEN,)) -> ProgramAnswers:
    found = ProgramAnswers(at_work, dict.fromkeys(PROTOCOL_TASKS, 10.0), dict.fromkeys(PROTOCOL_TASKS, 2.0))
    for one in images:
        found.add(one)
    return found


@pytest.mark.parametrize(
    ("in_lot", "state", "at_work", "fate"),
    [
        (False, ChainState.COMPLETE, True, Fate.EVIDENCE),
        (False, ChainState.QUALITY, True, Fate.EVIDENCE),
        (True, ChainState.QUALITY, True, Fate.LOT),
        (None, ChainState.QUALITY, True, Fate.LOT),
        (False, ChainState.COMPLETE, False, Fate.EVIDENCE),
        (False, ChainState.QUALITY, False, Fate.ASIDE),
    ],
)
def test_an_answer_is_evidence_outside_the_lot_unless_its_program_was_set_aside_before_the_chain_ended(
    *, in_lot: bool | None, state: ChainState, at_work: bool, fate: Fate
) -> None:
    one = chain(heard(QWEN, QUALITY, "good", 3), state=state, in_lot=in_lot)
    assert counted(one, at_work=(QWEN,) if at_work else ()).fates == {QWEN: {(QUALITY, fate): 1}}


def test_an_answer_that_was_taken_back_is_set_aside_and_held_against_nobody() -> None:
    found = counted(chain(heard(QWEN, QUALITY, None, 3), heard(ADA, QUALITY, "bad", 3)))
    assert found.fates == {QWEN: {(QUALITY, Fate.ASIDE): 1}} and not found.held


def test_an_answer_is_held_against_what_more_people_said_about_the_same_boxes() -> None:
    same = heard(QWEN, COVERED, "all there", 1, 2)
    for others, held in (
        ([heard(ADA, COVERED, "all there", 2, 1)], {(COVERED, False): 1}),
        ([heard(ADA, COVERED, "more needed", 1, 2)], {(COVERED, True): 1}),
        ([heard(ADA, DREW, 7, 1, 2)], {(COVERED, True): 1}),
        ([heard(ADA, DREW, NOTHING_DRAWN, 1, 2)], {(COVERED, False): 1}),
        ([heard(ADA, COVERED, "more needed", 1)], {}),
        ([heard(ADA, QUALITY, "bad", 1)], {}),
        ([heard(ADA, COVERED, "more needed", 1, 2), heard(BEA, COVERED, "all there", 1, 2)], {}),
    ):
        assert dict(counted(chain(same, *others)).held.get(QWEN, {})) == held, others


def test_no_box_is_no_box_whatever_its_reason() -> None:
    assert counted(chain(heard(QWEN, REQUIRED, 2), heard(ADA, REQUIRED, 3))).held == {QWEN: {(REQUIRED, False): 1}}


def test_links_are_held_against_people_and_count_by_the_lot_of_their_image() -> None:
    def linked(lot: LinkLot | None, *people: bool) -> ImageProgress:
        votes = {(0, 1): [Vote(1, ADA, one) for one in people]}
        return ImageProgress(
            state=ImageState.BOXING, votes=votes, juror_votes={(0, 1): [Vote(2, QWEN, True)]}, link_lot=lot
        )

    link = Task.COREFERENCE_LINK
    found = counted(linked(LinkLot.BOTH, False), linked(LinkLot.PEOPLE, True), linked(None))
    assert found.fates == {QWEN: {(link, Fate.EVIDENCE): 1, (link, Fate.LOT): 2}}
    assert found.held == {QWEN: {(link, True): 1, (link, False): 1}}


def test_the_saving_is_what_chains_of_the_lot_took_more_with_an_interval_that_follows_from_their_differences() -> None:
    lot = [chain(*(heard(ADA, COVERED, "all there", 1) for _ in range(2 + n % 3)), in_lot=True) for n in range(12)]
    others = [chain(heard(QWEN, COVERED, "all there", 1), heard(ADA, DREW, 1)) for _ in range(5)]
    saved = counted(*lot, *others).saved(QWEN, "boxes")
    assert saved is not None and (saved.number, saved.lot) == (5, 12)
    assert (saved.seconds, saved.cents) == (5 * (30 - 10), 5 * (6 - 2))
    assert saved.least_seconds < saved.seconds < saved.most_seconds
    assert saved.most_seconds - saved.least_seconds == pytest.approx(2 * 1.645 * 5 * 10 * (2 / 3 / 11) ** 0.5, rel=1e-3)
    assert counted(*lot, *others).saved(QWEN, "links") is None


def test_nothing_is_said_of_the_saving_without_ten_chains_of_the_lot_or_one_that_the_program_answered_about() -> None:
    lot = [chain(heard(ADA, COVERED, "all there", 1), in_lot=True) for _ in range(10)]
    other = chain(heard(QWEN, COVERED, "all there", 1))
    assert counted(*lot[1:], other).saved(QWEN, "boxes") is None
    assert counted(*lot, chain(heard(ADA, COVERED, "all there", 1))).saved(QWEN, "boxes") is None
    assert counted(*lot, other).saved(QWEN, "boxes") is not None
