"""The paper's loop: the step that follows from a chain's state and the answers so far."""

from typing import Any

from annotation.rules.box import Box, Drawing
from annotation.rules.states import BoxState, ChainState
from pipeline.protocol.boxes import tallies
from pipeline.protocol.boxes.paper_loop import PaperLoop
from pipeline.protocol.boxes.policy import BoxDecision, Show
from pipeline.protocol.boxes.pre_annotations import (
    keep_labels,
    keep_pre_annotations,
    next_pre_annotations,
    predicted_boxes,
)
from pipeline.protocol.settings import BoxSettings
from pipeline.protocol.state.mention_progress import MentionProgress
from pipeline.protocol.state.progress import (
    NOTHING_DRAWN,
    BoxProgress,
    Cause,
    ChainAnswer,
    ChainProgress,
    ImageProgress,
    OpenQuestion,
    PreAnnotation,
)
from pipeline.protocol.tasks.box_coverage import CoverageVerdict
from pipeline.protocol.tasks.box_drawing import DrawingVerdict
from pipeline.protocol.tasks.box_quality import BoxQualityVerdict
from pipeline.protocol.tasks.box_requirement import RequirementVerdict
from pipeline.protocol.tasks.chain_verification import VerificationVerdict
from pipeline.protocol.tasks.coreference_link import CoreferenceVerdict
from pipeline.protocol.tasks.task import Task
from tests.support.table import case
from tests.support.tasks import ASK, COVER, DRAW, JUDGE

S, NONE = ChainState, NOTHING_DRAWN
Said = tuple[Task, Any, int]
REQUIRED, NO_BOX = RequirementVerdict.BOX, RequirementVerdict.NO_BOX
ALL, MORE = CoverageVerdict.ALL_THERE, CoverageVerdict.MORE_NEEDED
NEEDED, COVERED = BoxDecision(REQUIRED, outcome=REQUIRED), BoxDecision(ALL, outcome=ALL)
UNCOVERED = BoxDecision(MORE, outcome=MORE)
DREW, VAIN = [(DRAW, 0, 1)], [(DRAW, NONE, n) for n in range(4)]
GOOD = [*DREW, (JUDGE, "good", 2)]
BAD = [[(DRAW, number, 1), (JUDGE, "bad", 2)] for number in range(9)]
LACKING = [*GOOD, (COVER, "more needed", 3)]
REVISIT = [(DRAW, NONE, 4), (COVER, "more needed", 5)]
TIE = [(COVER, "all there", 3), (COVER, "more needed", 4)]
VISITED = [*LACKING, *BAD[1], *REVISIT, *BAD[2], REVISIT[0]]
REJECTED = [*BAD[4], *BAD[5], *BAD[6], *LACKING, *BAD[1], *BAD[2], *BAD[3]]
OVERRULED = [(DRAW, NONE, 1), (ASK, 1, 2), (ASK, 1, 3)]


def image(state: ChainState, said: list[Said], kind: str = "animals") -> ImageProgress:
    """Return an image with one chain, of which this was said: its task, what, and by whom.

    Drawn boxes are as their last judgment left them, and all that are accepted then were shown.
    """
    chain = ChainProgress(0, [0], state, representative=0)
    progress = ImageProgress(mentions={0: MentionProgress(0, 0, 0, 1, [kind], "dog")}, chains={0: chain})
    for entry, (task, what, worker) in enumerate(said, start=1):
        shown = [box.number for box in progress.accepted(0)]
        if task is DRAW and what != NONE:
            progress.boxes[what] = BoxProgress(what, 0, Box(what, 0, what + 9, 9), BoxState.PENDING, worker, entry)
        if task is JUDGE:
            (judged,) = progress.pending(0)
            shown = [judged.number]
            judged.state = BoxState.ACCEPTED if what == "good" else BoxState.DISCARDED
            judged.accepted = entry if what == "good" else None
        chain.answers.append(ChainAnswer(entry, worker, task, what, shown))
    return progress


def step(state: ChainState, said: list[Said], *, kind: str = "animals", **settings: Any) -> Show | BoxDecision:
    """Return what follows from all of it, the last answer being new."""
    progress = image(state, said, kind)
    heard = progress.chains[0].answers[-1] if said else None
    if heard is not None and heard.task is JUDGE:  # it still waits when the policy is asked
        progress.boxes[heard.boxes[0]].state = BoxState.PENDING
    return PaperLoop(BoxSettings(**settings)).step(progress, progress.chains[0], heard, ())


def without_box(why: str) -> BoxDecision:
    return BoxDecision(NO_BOX, outcome=NO_BOX, non_visual=why)


@case("nobody has voted", S.REQUIREMENT, [], BoxDecision(None))
@case("one for a box", S.REQUIREMENT, [(ASK, 1, 1)], NEEDED)
@case("one for no box", S.REQUIREMENT, [(ASK, 3, 1)], BoxDecision(None))
@case("two for no box", S.REQUIREMENT, [(ASK, 3, 1), (ASK, 2, 2)], without_box("no box"))
@case("found none", S.REQUIREMENT, [(DRAW, NONE, 1), (ASK, 2, 2)], without_box("scene"))
@case("a tie", S.REQUIREMENT, [(ASK, 3, 1), (ASK, 1, 2)], BoxDecision(None))
@case("none found evens a vote", S.REQUIREMENT, [(DRAW, NONE, 1), (ASK, 1, 2)], BoxDecision(None))
@case("two votes outnumber it", S.REQUIREMENT, OVERRULED, NEEDED)
@case("a drawn box", S.DRAWING, DREW, BoxDecision(DrawingVerdict.BOX, 0))
@case("none at all", S.DRAWING, [(DRAW, NONE, 1)], BoxDecision(DrawingVerdict.NONE_AT_ALL))
@case("none missing", S.DRAWING, [*LACKING, (DRAW, NONE, 4)], BoxDecision(DrawingVerdict.NONE_MISSING))
@case("three in vain", S.DRAWING, VAIN[:3], BoxDecision(DrawingVerdict.NONE_AT_ALL))
@case("four in vain", S.DRAWING, VAIN, BoxDecision(DrawingVerdict.CYCLING))
@case("also with votes between", S.DRAWING, [*OVERRULED * 3, (DRAW, NONE, 4)], BoxDecision(DrawingVerdict.CYCLING))
@case("and over visits", S.DRAWING, VISITED, BoxDecision(DrawingVerdict.CYCLING))
@case("not before a box", S.DRAWING, [*VAIN[:3], *GOOD, (DRAW, NONE, 5)], BoxDecision(DrawingVerdict.NONE_MISSING))
@case("a good box", S.QUALITY, GOOD, BoxDecision(BoxQualityVerdict.GOOD))
@case("a bad box", S.QUALITY, BAD[0], BoxDecision(BoxQualityVerdict.BAD, drop=(0,)))
@case("bad after three in vain", S.QUALITY, [*VAIN[:3], *BAD[0]], BoxDecision(BoxQualityVerdict.CYCLING, drop=(0,)))
@case(
    "a fourth bad box",
    S.QUALITY,
    [*BAD[0], *BAD[1], *BAD[2], *BAD[3]],
    BoxDecision(BoxQualityVerdict.CYCLING, drop=(3,)),
)
@case("a good one after three", S.QUALITY, [*BAD[1], *BAD[2], *BAD[3], *GOOD], BoxDecision(BoxQualityVerdict.GOOD))
@case("three bad after a good one", S.QUALITY, REJECTED, BoxDecision(BoxQualityVerdict.BAD, drop=(3,)))
@case("more needed first", S.COVERAGE, LACKING, UNCOVERED)
@case("one all there", S.COVERAGE, [*GOOD, (COVER, "all there", 3)], BoxDecision(None))
@case("a tie of coverage", S.COVERAGE, [*GOOD, *TIE], BoxDecision(None))
@case("a broken tie", S.COVERAGE, [*GOOD, *TIE, (COVER, "more needed", 5)], UNCOVERED)
@case("a tie broken for all", S.COVERAGE, [*GOOD, *TIE, (COVER, "all there", 5)], COVERED)
@case("a new visit", S.COVERAGE, [*GOOD, *TIE, *REVISIT[::-1], (COVER, "all there", 7)], BoxDecision(None))
@case("two all there", S.COVERAGE, [*GOOD, (COVER, "all there", 3), (COVER, "all there", 4)], COVERED)
def test_the_answers_so_far_decide_what_follows(state: ChainState, said: list[Said], follows: BoxDecision):
    assert step(state, said) == follows


def test_limits_are_those_of_the_settings():
    assert step(S.REQUIREMENT, [(ASK, 3, 1)], no_box_votes=1) == without_box("no box")
    assert step(S.COVERAGE, [*GOOD, (COVER, "all there", 3)], coverage_votes=1) == COVERED
    assert step(S.DRAWING, [(DRAW, NONE, 1)], fruitless_drawings=1) == BoxDecision(DrawingVerdict.CYCLING)


@case("one mention", S.LINKING, "animals", CoreferenceVerdict.ASK)
@case("one mention of a person", S.LINKING, "people", CoreferenceVerdict.DRAW)
@case("verified", S.VERIFICATION, "animals", VerificationVerdict.ASK)
@case("verified, of a person", S.VERIFICATION, "people", VerificationVerdict.DRAW)
def test_a_chain_of_people_and_a_verified_one_with_boxes_is_drawn_at_once(state: ChainState, kind: str, verdict: Any):
    assert step(state, [], kind=kind) == BoxDecision(verdict)
    progress = image(S.VERIFICATION, GOOD)
    assert PaperLoop(BoxSettings()).enter(progress, progress.chains[0]) == BoxDecision(VerificationVerdict.DRAW)


def test_a_pre_annotation_takes_the_place_of_a_drawing_where_the_settings_let_it():
    progress = image(S.DRAWING, [])
    progress.pre_annotations = [PreAnnotation(0, 40, Box(1, 2, 3, 4))]
    let, not_let = (PaperLoop(BoxSettings(pre_annotations=pre_annotations)) for pre_annotations in (True, False))
    assert let.enter(progress, progress.chains[0]) == Show((progress.pre_annotations[0],))
    assert not_let.enter(progress, progress.chains[0]) == BoxDecision(None)
    progress.boxes[0] = BoxProgress(0, 0, Box(1, 2, 3, 4), BoxState.PENDING, 40, 1, pre_annotated=True)
    assert let.enter(progress, progress.chains[0]) == BoxDecision(DrawingVerdict.BOX, 0, cause=Cause.PRE_ANNOTATED)


def test_a_box_that_was_voided_is_drawn_anew():
    progress = image(S.QUALITY, DREW)
    progress.boxes[0].state = BoxState.DISCARDED
    follows = PaperLoop(BoxSettings()).enter(progress, progress.chains[0])
    assert follows == BoxDecision(BoxQualityVerdict.BAD, cause=Cause.BOX_VOIDED)


def test_who_votes_and_is_voided_is_not_asked_the_same_again():
    progress, loop = image(S.REQUIREMENT, [(ASK, 3, 1), (ASK, 1, 2)]), PaperLoop(BoxSettings())
    answers = progress.chains[0].answers
    answers[0] = answers[0]._replace(withdrawn=True)
    assert loop.barred(progress, ASK, [0]) == {1, 2}
    assert loop.barred(progress, DRAW, [0]) == {2}, "a vote that does not count makes no chain non-visual"


@case("no tally", S.DRAWING, [(ASK, 1, 1)], [])
@case("an open tally", S.REQUIREMENT, [(ASK, 3, 1), (ASK, 1, 2)], [1, 2])
@case("since drawing", S.REQUIREMENT, [(ASK, 1, 1), (DRAW, NONE, 2), (ASK, 3, 3)], [3])
@case("the present visit", S.COVERAGE, [*GOOD, (COVER, "all there", 3)], [3])
@case("a box that waits", S.QUALITY, DREW, [1])
@case("a box that waits and not who found none before", S.QUALITY, [(DRAW, NONE, 4), *DREW], [1])
def test_an_answer_may_be_withdrawn_from_which_nothing_has_followed(state: Any, said: list[Said], may: list[int]):
    progress, loop = image(state, said), PaperLoop(BoxSettings())
    chain = progress.chains[0]
    assert [one.worker for one in chain.answers if loop.may_withdraw(progress, chain, one)] == may


@case("who found none missing", [(DRAW, NONE, 1)], (), {1}, 1)
@case("and not before a box that was kept", [(DRAW, NONE, 1), *DREW], {0}, set(), 0)
@case("nor before one that was judged good, though an expert deleted it", [*BAD[1], *GOOD], (), set(), 0)
@case("a bad box", [(DRAW, NONE, 4), *BAD[1]], (), {4}, 2)
@case("a need of a box with the number of an accepted one", [(DRAW, NONE, 4), (ASK, 1, 5)], {1}, {4}, 1)
def test_fruitless_drawings_since_the_last_good_box(said: list[Said], accepted: Any, workers: set[int], fruitless: int):
    chain = image(S.DRAWING, said).chains[0]
    assert tallies.found_none(chain, accepted) == workers and tallies.fruitless(chain, accepted) == fruitless


def test_a_judgment_that_was_withdrawn_makes_no_box_good_or_bad_and_who_is_spared_a_visit_may_draw():
    chain = image(S.DRAWING, GOOD).chains[0]
    chain.answers[1] = chain.answers[1]._replace(withdrawn=True)
    chain.answers.append(ChainAnswer(3, 7, COVER, None, [0], withdrawn=True))
    assert (tallies.found_none(chain, ()), tallies.fruitless(chain, ())) == (set(), 0)


@case("at the overlap from which they show the same thing", Box(0, 0, 3, 10), 0)
@case("below that", Box(0, 0, 2, 10), None)
def test_a_box_that_was_drawn_where_one_is_hidden_and_the_mean_of_three_drawings(drawn: Box, before: int | None):
    progress, loop = image(S.DRAWING, GOOD), PaperLoop(BoxSettings())
    progress.boxes[0].box = Box(0, 0, 10, 10)
    assert loop.box_drawn_before(progress, OpenQuestion(1, DRAW, [0, 0]), drawn) == before
    drawings = [Drawing(entry, entry, Box(edge, edge, edge + 9, edge + 9)) for entry, edge in enumerate((1, 2, 4))]
    assert loop.box_of(drawings) == Box(2, 2, 11, 11)


def test_two_boxes_of_a_program_that_overlap_by_half_are_one_thing():
    progress = image(S.DRAWING, GOOD)
    progress.boxes[0].box, half = Box(0, 0, 10, 10), Box(0, 0, 5, 10)
    keep_pre_annotations(progress, 40, [[0, *half], [0, 0, 0, 4, 10]])
    assert [one.box for one in next_pre_annotations(progress, progress.chains[0])] == [Box(0, 0, 4, 10)]
    keep_pre_annotations(progress, 40, [[0, 0, 0, 10, 10], [0, *half]])
    assert predicted_boxes(progress, progress.chains[0]) == {"40": [Box(0, 0, 10, 10)]}


def test_what_a_person_said_of_an_earlier_box_keeps_no_pre_annotation_back():
    progress = image(S.DRAWING, [*GOOD, (DRAW, 1, 40), (JUDGE, "bad", 41)])
    answers = progress.chains[0].answers
    answers[-1] = answers[-1]._replace(by_model=True)
    progress.boxes[1].pre_annotated = True
    keep_pre_annotations(progress, 40, [[0, 50, 50, 60, 60]])
    assert len(next_pre_annotations(progress, progress.chains[0])) == 1
    answers[-1] = answers[-1]._replace(by_model=False)
    assert next_pre_annotations(progress, progress.chains[0]) == [], "but of the newest"


def test_mentions_of_a_caption_that_a_checked_set_holds_to_be_one_thing_are_counted_in_reading_order():
    progress = image(S.LINKING, [])
    places = {0: (0, 4), 1: (0, 0), 2: (0, 8), 3: (1, 0)}
    progress.mentions = {n: MentionProgress(n, *place, place[1] + 1, ["people"], "he") for n, place in places.items()}
    keep_labels(progress, [[0, 1, 2, 3]], {})
    assert {number: mention.reference_rank for number, mention in progress.mentions.items()} == {0: 1, 1: 0, 2: 2, 3: 0}
