"""Facts read off an image's progress.
A mention knows its words and its place, and is compared by how it reads.
Answers to box tasks, as a chain keeps them.
The marks of fields, and what a class of the progress may declare.
Progress to JSON and back, when everything in it is set.
The part of a question that a worker is shown.
The table rows of an image.
All tables of steps together.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Annotated, Any, NamedTuple

import pytest

from annotation.rules.box import Box
from annotation.rules.mention_type import MentionType
from annotation.rules.states import BoxState, ChainState
from belief.boxes.box_answers import BoxQuality, BoxTask
from belief.boxes.box_belief import BoxAnswer, BoxEvidence, believe_boxes
from pipeline.policies.box_evidence import EXPERT_SKILL, EXPERT_TRUST
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.state.mention_progress import (
    InTable,
    MentionProgress,
    StorageMark,
    TableColumn,
    UnlessDefault,
    declared,
)
from pipeline.protocol.state.progress import (
    NOTHING_DRAWN,
    BoxProgress,
    Cause,
    ChainAnswer,
    ChainProgress,
    ErrorReport,
    ImageProgress,
    MergedBoxProgress,
    OpenQuestion,
    PreAnnotation,
    StateMachine,
    StateMove,
    SurveyProgress,
    TallyVote,
)
from pipeline.protocol.state.progress_json import ProgressError, from_json, to_json
from pipeline.protocol.state.rows import difference, image_rows, question_view
from pipeline.protocol.tasks.flow import (
    REVIEW_TRANSITIONS,
    SETTLED,
    TABLES,
    TASK_OF_STATE,
    IllegalStepError,
    ReviewStep,
    step,
)
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, imported, started
from tests.support.table import case, row


def test_mentions_are_read_by_caption_and_first_word_and_have_a_chain_which_has_the_types_of_them_all():
    places = [(1, 0, 1), (0, 5, 6), (0, 1, 2)]
    mentions = {number: MentionProgress(number, *place, [], "a") for number, place in enumerate(places)}
    assert ImageProgress(mentions=mentions).reading_order([0, 1, 2]) == [2, 1, 0]
    story = started([MAN, DOG], [MAN], [("animals/other", "it")]).link((0, 2), (1, 3))
    assert [story.progress.chain_of(n).name for n in (0, 1, 2)] == [0, 1, 0]
    assert story.progress.types_of(story.chain(1)) == {"animals", "other"}
    assert story.progress.has_type(story.chain(1), MentionType.OTHER)
    assert not story.progress.has_type(story.chain(1), MentionType.PEOPLE)


def test_accepted_boxes_come_in_the_order_of_acceptance_and_without_the_discarded():
    story = started([MAN])
    for box in ([1, 1, 2, 2], [2, 2, 3, 3], [3, 3, 4, 4]):
        story.expert("draw", chain=0, box=box)
    story.expert("delete box", box=1)
    story.progress.boxes[0].accepted = 99
    assert [box.number for box in story.progress.accepted(0)] == [2, 0]
    assert story.progress.accepted(1) == []


def test_a_cause_names_the_other_chain_in_words_and_every_cause_reads_as_text_that_fits_its_column():
    move = StateMove(StateMachine.CHAIN, 3, "complete", "complete", Cause.SAME_BOXES, 9, chain=1)
    assert (move.reason, move.cause) == ("merged into chain 1, same boxes", Cause.SAME_BOXES)
    assert StateMove(StateMachine.BOX, 0, "pending", "accepted", Cause.JUDGED_GOOD, 9).reason == "judged good"
    assert all(0 < len(cause.value) <= 40 for cause in Cause)


def test_a_mention_knows_its_words_its_head_and_its_place_and_is_compared_by_a_form_of_its_own():
    mention = MentionProgress(7, 2, 4, 6, ["people"], "the Men", "Dogs watch", "7e")
    assert (mention.head, mention.order) == ("men", (2, 4))
    words = ("the", "men"), ("dogs", "watch")
    assert mention.for_links() == (7, 2, 4, frozenset({"people"}), "men", *words, "7e", 0, (0, 0), False)
    mention = MentionProgress(1, 0, 0, 2, ["animals"], "three dogs…", form="three dogs")
    assert (mention.compared, mention.head) == ("three dogs", "dogs")
    assert mention.for_links().words == ("three", "dogs")


def test_a_row_of_the_record_may_name_a_sentence_which_counts_only_beyond_the_rules():
    mention = MentionProgress.of([3, 0, 9, 10, ["pronoun"], "she", "here", "", "", 2])
    assert (mention.sentence, mention.for_links().part) == (2, (0, 0))
    assert mention.for_links().types == {"people"}, "a pronoun is linked as what it may stand for"
    mention.by_sentence = True
    assert mention.for_links().part == (2, 10), "a pronoun may mean something in its own sentence"


def answer(task: Task, value: Any, shown: list[int], **more: Any) -> ChainAnswer:
    return ChainAnswer(3, 4, task, value, shown, **more)


WITHDRAWN = answer(Task.BOX_DRAWING, 1, [], redraw_of=0, withdrawn=True)
SPARED = answer(Task.BOX_COVERAGE, None, [0], withdrawn=True)


@case("a box is required", answer(Task.BOX_REQUIREMENT, 1, []), ["b", []])
@case("a scene", answer(Task.BOX_REQUIREMENT, 2, []), ["s", []])
@case("no box", answer(Task.BOX_REQUIREMENT, 3, []), ["n", []])
@case("a drawn box", answer(Task.BOX_DRAWING, 7, [5]), [7, [5]])
@case("nothing drawn", answer(Task.BOX_DRAWING, NOTHING_DRAWN, []), [-1, []])
@case("a bad box", answer(Task.BOX_QUALITY, "bad", [0]), ["x", [0]])
@case("a good box", answer(Task.BOX_QUALITY, "good", [0], skill=0.5), ["g", [0], 0.5])
@case("all there", answer(Task.BOX_COVERAGE, "all there", [0]), ["a", [0]])
@case("more needed", answer(Task.BOX_COVERAGE, "more needed", [0]), ["m", [0]])
@case("a model's", answer(Task.BOX_QUALITY, "good", [0], by_model=True), ["g", [0], 0.0, None, True])
@case("withdrawn", WITHDRAWN, [1, [], 0.0, None, False, 0, True])
@case("spared", SPARED, ["C", [0], 0.0, None, False, None, True])
def test_an_answer_is_stored_with_one_letter_for_its_task_and_what_was_said(answer: ChainAnswer, row: list[Any]):
    assert json.loads(json.dumps(answer.packed())) == [3, 4, *row] and ChainAnswer.unpacked([3, 4, *row]) == answer


def test_a_letter_of_no_answer_is_no_progress() -> None:
    kept = to_json(ImageProgress(chains={0: ChainProgress(0, [0])}))
    kept["chains"][0][8] = [[3, 4, "?", []]]
    with pytest.raises(ProgressError, match="stands for no answer"):
        from_json(kept)


def test_who_found_none_missing_has_drawn_no_box() -> None:
    story = started([("people", "a man")], settings=Settings(box_policy=BoxPolicyName.BELIEF))
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=1)
    assert story.chain().answers == [ChainAnswer(2, 1, Task.BOX_DRAWING, NOTHING_DRAWN, [])]
    assert not story.progress.boxes and NOTHING_DRAWN < 0, "boxes are numbered from 0"


def test_an_expert_s_box_is_sure_even_where_none_was_expected() -> None:
    drawn = BoxAnswer(BoxTask.DRAWING, None, 0.0, 0, (), EXPERT_TRUST)
    judged = BoxAnswer(BoxTask.QUALITY, BoxQuality.GOOD, EXPERT_SKILL, 0)
    assert believe_boxes(BoxEvidence((0.5, 0.5), (drawn, judged))).p_good(0) > 0.99


ROWS = (MentionProgress, ChainProgress, BoxProgress, OpenQuestion, SurveyProgress, MergedBoxProgress)
TUPLES = (TallyVote, ErrorReport, PreAnnotation)


@dataclass
class Kept:
    number: int
    worker: Annotated[int | None, TableColumn("drawn_by_id")] = None
    votes: InTable[UnlessDefault[list[int]]] = field(default_factory=list)


class Said(NamedTuple):
    entry: int
    skill: UnlessDefault[float] = 0.0


def test_a_class_declares_its_fields_in_order_with_type_marks_and_default() -> None:
    number, worker, votes = declared(Kept)
    assert (number.name, number.kind, number.column) == ("number", int, None)
    assert (worker.kind, worker.default, worker.column) == (int | None, None, TableColumn("drawn_by_id"))
    assert (votes.kind, votes.default, votes.column) == (list[int], [], TableColumn())
    assert StorageMark.LATER in votes.marks and StorageMark.LATER not in worker.marks
    said = [(one.name, one.kind, StorageMark.LATER in one.marks) for one in declared(Said)]
    assert said == [("entry", int, False), ("skill", float, True)]


def test_fields_of_a_row_that_are_left_out_at_its_end_stand_at_its_end() -> None:
    later = {kind: [StorageMark.LATER in one.marks for one in declared(kind)] for kind in (*ROWS, *TUPLES)}
    assert later == {kind: sorted(marks) for kind, marks in later.items()}


@cache
def busy_image() -> Story:
    story = started([MAN, DOG, PARK], [("people", "a guy"), ("animals", "it all")], [("scene", "there"), DOG])
    story.void(story.judge(Task.COREFERENCE_LINK, "same", worker=4, subject=[1, 4]))
    story.report("mention", 1, worker=5)
    story.report("mention", 4, worker=None, expert=True)
    story.add(EntryKind.STARVE, {"question": story.question(Task.COREFERENCE_LINK, [2, 5]).number})
    story.expert("link", first=0, second=3, same=True)
    story.judge(Task.CHAIN_VERIFICATION, "true")
    story.judge(Task.BOX_DRAWING, BOX, worker=3, subject=[0])
    story.add(EntryKind.PROPOSE, {"worker": 9, "boxes": [[0, 1, 2, 30, 40]], "chains": [[0, 3]]})
    shown, truth = {"caption": "a dog rides"}, {"verdict": "wrong"}
    story.add(EntryKind.ASK, {"task": "caption_check", "item": "1:foil", "shown": shown, "truth": truth})
    story.void(story.judge(Task.CAPTION_CHECK, {"verdict": "correct"}, worker=6))
    story.judge(Task.CAPTION_CHECK, {"verdict": "wrong", "word": 1}, worker=7)
    return story


def through_json(progress: ImageProgress) -> ImageProgress:
    return from_json(json.loads(json.dumps(to_json(progress))))


def test_it_comes_back_the_same_and_everything_but_the_moves_is_kept():
    progress = busy_image().progress
    back = through_json(progress)
    back.moves = progress.moves
    assert back == progress
    left_out = {"moves", "together", "seed", "notes", "unswept"}
    assert set(to_json(progress)) == {field.name for field in fields(ImageProgress)} - left_out


EVERY_FIELD = ChainProgress(0, [0], representative=0, non_visual="a", doubted="b", review=Cause.STARVED)
EVERY_FIELD.answers = [ChainAnswer(1, 2, Task.BOX_REQUIREMENT, 3, [])]
EVERY_FIELD.merged_into, EVERY_FIELD.confidence, EVERY_FIELD.notes = 7, 0.875, {"in_audit": True}
PRE_ANNOTATED = BoxProgress(0, 0, Box(1, 2, 3, 4), BoxState.PENDING, 9, 5, pre_annotated=True)
HEARD = [
    ChainAnswer(3, 4, Task.BOX_DRAWING, 0, []),
    ChainAnswer(5, 6, Task.BOX_QUALITY, "good", [0], 0.25),
    ChainAnswer(7, 8, Task.BOX_DRAWING, 1, [0], trust=0.5, by_model=True),
    ChainAnswer(9, None, Task.BOX_DRAWING, None, [0, 1], redraw_of=2),
]
BELIEVED = {
    0: ChainProgress(0, [0], confidence=0.5, box_confidence=0.75, answers=HEARD),
    1: ChainProgress(1, [1], box_confidence=0.9),
}
SURE_BOX = BoxProgress(0, 0, Box(1, 2, 3, 4), BoxState.ACCEPTED, 9, 5, 5, confidence=0.875)
OF_BELIEF = "a chain and a box of the belief policy come back the same"
NAMED_BY_ALL = MentionProgress(0, 0, 0, 2, ["people"], "a man", "man with", "7e", form="as it reads")


@case("every field of a chain is kept", ImageProgress(chains={0: EVERY_FIELD}))
@case("a box that was proposed comes back as one", ImageProgress(boxes={0: PRE_ANNOTATED}))
@case(OF_BELIEF, ImageProgress(chains=BELIEVED, boxes={0: SURE_BOX}))
@case("the chances of links are kept", ImageProgress(together={(0, 2): 0.9375}))
@case("a merged box is kept", ImageProgress(merged=[MergedBoxProgress(0, Box(1, 2, 3, 4), [0, 1])]))
@case("the words before a mention, its vector and its form are kept", ImageProgress(mentions={0: NAMED_BY_ALL}))
def test_progress_of_which_all_is_kept(progress: ImageProgress):
    assert through_json(progress) == progress


def test_scores_of_pre_annotations_and_of_boxes_come_back_and_are_left_out_where_there_are_none():
    box = Box(1, 2, 3, 4)
    boxes = {n: BoxProgress(n, 0, box, BoxState.PENDING, 9, 5, pre_annotated=True) for n in range(3)}
    boxes[1].score, boxes[2].score, boxes[2].confidence = 0, 85, 0.5
    progress = ImageProgress(boxes=boxes, pre_annotations=[PreAnnotation(0, 9, box), PreAnnotation(0, 9, box, 0)])
    kept = to_json(progress)
    assert [len(row) for row in kept["pre_annotations"]] == [3, 4]
    assert [len(row) for row in kept["boxes"]] == [8, 10, 10]
    assert through_json(progress) == progress


def test_a_chain_or_a_mention_of_which_less_is_known_has_a_shorter_row():
    for confidence, fields_kept in ((None, 9), (0.5, 10)):
        progress = ImageProgress(chains={0: ChainProgress(0, [0], confidence=confidence)})
        assert len(to_json(progress)["chains"][0]) == fields_kept and through_json(progress) == progress
    for before, fields_kept in (("", 6), ("man with", 7)):
        mention = MentionProgress(0, 0, 0, 2, ["people"], "a man", before)
        assert len(to_json(ImageProgress(mentions={0: mention}))["mentions"][0]) == fields_kept


def test_equal_progress_gives_equal_json_whatever_order_its_chains_were_made_in():
    one, other = ChainProgress(0, [0]), ChainProgress(1, [1])
    assert to_json(ImageProgress(chains={0: one, 1: other})) == to_json(ImageProgress(chains={1: other, 0: one}))


@row("state", "finished")
@row("next_question", None)
@row("mentions", [[0, 0, 0, 2, ["people"]]])
@row("votes", [[0, 1, [[2, 5]]]])
@row("sources", [[0, 1, "guessed"]])
def test_json_of_another_shape_is_refused_by_the_name_of_what_is_wrong(name: str, wrong: object):
    with pytest.raises(ProgressError, match=rf"not the progress of an image(.|\n)*{name}"):
        from_json({**to_json(busy_image().progress), name: wrong})
    with pytest.raises(ProgressError, match="sequence"):
        from_json({})


def shown_of(story, task: Task) -> dict:
    return question_view(story.progress, story.question(task))


def test_a_link_shows_its_two_mentions_where_they_stand_and_a_chain_to_verify_all_its_mentions():
    story = started([DOG, MAN], [("people", "a tall guy")])
    mentions = [[1, 0, 3, 5], [2, 1, 0, 3]]
    assert shown_of(story, Task.COREFERENCE_LINK) == {"mentions": mentions, "boxes": [], "new_box": None}
    assert shown_of(story.link((1, 2)), Task.CHAIN_VERIFICATION)["mentions"] == mentions


def test_a_box_task_shows_the_representative_mention_and_the_accepted_boxes_and_box_quality_the_new_box_apart():
    story = started([MAN])
    assert shown_of(story, Task.BOX_DRAWING)["boxes"] == []
    story.judge(Task.BOX_DRAWING, BOX)
    assert shown_of(story, Task.BOX_QUALITY)["boxes"] == []
    story.judge(Task.BOX_QUALITY, "good", worker=1)
    story.judge(Task.BOX_COVERAGE, "more needed", worker=2)
    shown = {"mentions": [[0, 0, 0, 2]], "boxes": [[10, 10, 50, 50]]}
    assert shown_of(story, Task.BOX_DRAWING) == {**shown, "new_box": None}
    story.judge(Task.BOX_DRAWING, {"box": [60, 10, 90, 50]}, worker=3)
    assert shown_of(story, Task.BOX_QUALITY) == {**shown, "new_box": [60, 10, 90, 50]}


def test_rows_say_what_the_progress_says_where_an_image_has_not_begun_without_chains():
    rows = image_rows(imported([MAN]).progress)
    assert (rows.mentions[0][5], rows.chains, rows.questions) == (None, {}, {})
    story = started([MAN, DOG])
    story.judge(Task.BOX_DRAWING, BOX, worker=3, subject=[0])
    rows = image_rows(story.progress)
    assert rows.state == "boxing"
    assert rows.mentions == {0: (0, 0, 2, ["people"], "a man", 0), 1: (0, 3, 5, ["animals"], "a dog", 1)}
    assert rows.chains == {0: ("quality", 0, "", "", "", None), 1: ("requirement", 1, "", "", "", None)}
    assert rows.boxes == {0: (0, 10, 10, 50, 50, "pending", 3, False)}
    dog = {"mentions": [[1, 0, 3, 5]], "boxes": [], "new_box": None}
    man = {"mentions": [[0, 0, 0, 2]], "boxes": [], "new_box": [10, 10, 50, 50]}
    assert rows.questions.pop(2) == ("box_quality", [0, 0], [3], 0.0, None, man)
    assert (rows.questions, rows.merged) == ({1: ("box_requirement", [1], [], 0.0, None, dog)}, {})


def test_merged_boxes_and_chains_are_shown_and_a_difference_is_what_is_new_or_changed_and_what_is_gone():
    story = started([MAN], [("people", "a guy")]).link()
    story.complete(0).complete(1).add(EntryKind.MERGE)
    rows = image_rows(story.progress)
    assert (rows.merged, rows.chains[1][5]) == ({0: (10, 10, 50, 50, [0, 1])}, 0)
    assert difference({1: ("a",), 2: ("b",), 3: ("c",)}, {2: ("b",), 3: ("x",), 4: ("d",)}) == ([3, 4], [1])


def steps() -> Iterator[tuple[ChainState, StrEnum, ChainState]]:
    for table in (*TABLES.values(), REVIEW_TRANSITIONS):
        for (state, verdict), new in table.items():
            yield state, verdict, new


def test_settled_states_are_closed_but_for_review_and_only_review_and_settled_chains_have_no_question():
    assert {(v, new) for state, v, new in steps() if state in SETTLED} == {(ReviewStep.NEEDED, ChainState.REVIEW)}
    assert set(TASK_OF_STATE) == set(ChainState) - SETTLED - {ChainState.REVIEW}
    assert set(TASK_OF_STATE.values()) == set(PROTOCOL_TASKS)


def step_or_refusal(state: ChainState, verdict: StrEnum) -> ChainState | str:
    """Return the new state, or why the step is refused."""
    try:
        return step(state, verdict)
    except IllegalStepError as error:
        return f"refused: {error}"


def test_a_step_that_no_table_names_is_refused():
    known = {(before, id(verdict)): new for before, verdict, new in steps()}
    verdicts = [verdict for kind in {type(verdict) for _, verdict, _ in steps()} for verdict in kind]
    for state, verdict in product(ChainState, verdicts):
        found = step_or_refusal(state, verdict)
        if new := known.get((state, id(verdict))):
            assert found is new, f"{state}, {verdict!r}"
        else:
            assert found.startswith("refused: ") and str(state) in found, f"{state}, {verdict!r}"


def test_an_equal_word_of_another_task_is_refused():
    from pipeline.protocol.tasks.box_coverage import CoverageAnswer, CoverageVerdict

    assert CoverageAnswer.ALL_THERE == CoverageVerdict.ALL_THERE
    with pytest.raises(IllegalStepError):
        step(ChainState.COVERAGE, CoverageAnswer.ALL_THERE)
