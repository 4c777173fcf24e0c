"""One image's record: its order, its import, its state.
The traces that a judgment leaves besides its step.
Answers under the belief policy: what they leave in the chain, and when they can be taken back.
Survey questions in the record of an image: asked, answered, voided, given up.
"""

from dataclasses import replace
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState, ImageState
from pipeline.policies.compose import compose
from pipeline.protocol.image import judgments
from pipeline.protocol.image.expert import ExpertError
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.image.machine import APPLY, JUDGE, EntryKind, RecordEntry, RecordError, apply, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.image.surveys import NoSurveyError
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress import NOTHING_DRAWN, ChainAnswer, StateMachine
from pipeline.protocol.state.rows import image_rows, question_view
from pipeline.protocol.tasks.task import BOX_TASKS, Task
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, NONE_MISSING, PARK, Story, mention_rows, started
from tests.support.tasks import ASK, COVER, DRAW, LINK, VERIFY
from tests.support.tasks import JUDGE as JUDGE_BOX

ROWS = mention_rows([MAN, DOG], [("people", "a guy")])


def test_each_task_has_its_judge_and_each_entry_acts_but_the_import_and_the_undo_which_needs_the_whole_record():
    assert set(APPLY) == set(EntryKind) - {EntryKind.IMPORT, EntryKind.UNDO}
    assert set(JUDGE) == set(Task) and JUDGE[VERIFY] is judgments.judge_verification
    assert {task for task in JUDGE if JUDGE[task] is judgments.judge_boxes} == BOX_TASKS


def test_a_record_begins_with_its_import_and_goes_on_in_order_and_linking_starts_once():
    for entry in ((0, EntryKind.START), (1, EntryKind.IMPORT)):
        with pytest.raises(RecordError, match="import, number 0"):
            begin(RecordEntry(*entry, {"mentions": []}))
    story = started([MAN])
    for sequence in (0, 1, 3):
        with pytest.raises(RecordError, match="cannot follow entry 1"):
            apply(story.progress, RecordEntry(sequence, EntryKind.MERGE, {}), compose(Settings()))
    with pytest.raises(RecordError, match="only once"):
        story.start()


def test_an_image_that_waits_for_its_phrases_gets_them_before_it_starts():
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": [], "waiting": True})))
    with pytest.raises(RecordError, match="phrases"):
        story.start()
    assert story.progress.next_mention == 0
    story.expert("chunk", add=[[0, 0, 0, 2, ["people"], "a man"]])
    with pytest.raises(ExpertError, match="phrases already"):
        story.expert("chunk", add=[])
    story.start()
    assert story.asked() == [(DRAW, [0])]


def of_image(story: Story) -> list[tuple[int, str, str, str]]:
    """Return the moves of the image that the last entry made."""
    found = [move for move in story.progress.moves if move.machine is StateMachine.IMAGE]
    return [(move.subject, move.old, move.new, move.reason) for move in found]


def test_moves_of_an_image_are_noted():
    story = started([MAN], [("people", "a guy")]).judged((LINK, "different"))
    assert of_image(story) == [(0, "linking", "boxing", "boxing")]
    story.complete(0).complete(1).merge().report("image", 0, None, expert=True)
    assert of_image(story) == [
        (0, "merged", "boxing", "a chain was opened again"),
        (0, "boxing", "in review", "in review"),
    ]


def test_an_image_is_in_review_if_nothing_else_is_open_whether_its_other_chains_are_complete_or_non_visual():
    story = started([MAN, DOG, PARK]).complete(0).no_box(1).report("mention", 2, None, expert=True)
    assert story.progress.state is ImageState.REVIEW
    story = started([MAN, DOG]).report("mention", 1, None, expert=True)
    assert (story.progress.state, story.complete(0).progress.state) == (ImageState.BOXING, ImageState.REVIEW)


def test_a_program_counts_as_any_worker_under_the_rules_of_the_paper():
    story = started([DOG], [DOG])
    for task, answer in ((LINK, "different"), (ASK, 3)):
        judgment = {"question": story.question(task, [0]).number, "worker": 4, "answer": answer}
        story.add(EntryKind.JUDGMENT, judgment, EntryContext(by_model=True))
    assert len(story.progress.votes[0, 1]) == 1 and [one.worker for one in story.chain().answers] == [4]


def test_an_image_without_mentions_is_merged_at_once_and_what_stops_nothing_leaves_an_image_merged():
    story = started()
    assert can_merge(story.progress)
    merged = story.merge(), started([DOG]).no_box().merge().report("mention", 0, worker=1)
    assert [one.progress.state for one in merged] == [ImageState.MERGED] * 2


def test_an_image_that_came_annotated_is_taken_as_it_is():
    data: dict[str, Any] = {
        "mentions": ROWS,
        "chains": [{"mentions": [2, 0], "non_visual": ""}, {"mentions": [1], "non_visual": "scene"}],
        "boxes": [{"box": [1, 2, 3, 4], "chains": [0]}, {"box": [5, 6, 7, 8], "chains": [0]}],
    }
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, data)))
    boxes = [(number, box.entry, box.accepted) for number, box in story.progress.boxes.items()]
    assert (boxes, story.progress.next_box, story.progress.next_mention) == ([(0, 0, 0), (1, 0, 0)], 2, 3)
    assert (story.chains(), story.progress.state) == ([[0, 2], [1]], ImageState.MERGED)
    assert [story.state(n) for n in (0, 1)] == [ChainState.COMPLETE, ChainState.NON_VISUAL]
    assert story.chain(1).non_visual == "scene" and [box.members for box in story.progress.merged] == [[0], [1]]
    story.expert("send", chain=0, to="coverage")
    assert (story.progress.state, story.asked()) == (ImageState.BOXING, [(COVER, [0])])


def test_an_imported_chain_that_an_expert_sends_to_drawing_shows_its_longest_mention():
    rows = mention_rows([("animals", "a very big dog"), MAN], [("people", "a man in a hat")])
    data = {"mentions": rows, "chains": [{"mentions": [1, 2], "non_visual": ""}], "boxes": []}
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, data)))
    assert (story.chain(1).state, story.chain(1).representative) == (ChainState.COMPLETE, 2)
    story.expert("send", chain=1, to="drawing")
    assert question_view(story.progress, story.question(DRAW))["mentions"] == [[2, 1, 0, 5]]


def test_the_import_stays_what_it_was_and_an_expert_who_changes_nothing_has_a_merged_image_merged_anew():
    data = {"mentions": mention_rows([MAN])}
    begin(RecordEntry(0, EntryKind.IMPORT, data)).mentions[0].types.append("other")
    assert data == {"mentions": mention_rows([MAN])}
    story = started([DOG]).no_box().merge().by_expert("retype", mention=0, types=["people"])
    assert (story.progress.state, can_merge(story.progress)) == (ImageState.BOXING, True)


def test_a_late_judgment_is_kept_and_acts_no_more():
    story = started([MAN])
    number = story.question(DRAW).number
    story.judge(DRAW, BOX, worker=1)
    before = (story.chain().state, dict(story.progress.open), dict(story.progress.boxes))
    story.add(EntryKind.JUDGMENT, {"question": number, "worker": 2, "answer": BOX})
    assert (story.chain().state, story.progress.open, story.progress.boxes) == before
    assert story.reasons("question") == ["late judgment"]


def test_an_answer_that_the_task_does_not_know_is_refused_and_any_other_closes_its_question():
    for answer in (4, "yes", None):
        with pytest.raises(ValueError, match="not a valid RequirementAnswer"):
            started([DOG]).judge(ASK, answer)
    story = started([MAN]).judged((DRAW, BOX, 1), (JUDGE_BOX, "bad", 2))
    assert story.reasons("question") == ["bad"] and story.reasons("box") == ["judged bad"]


GUY, DOGS = ("people", "a man"), ("animals", "some dogs")
OTHER_BOX = {"box": [60, 60, 90, 90]}


def begun(mention: tuple[str, str], **changes: Any) -> Story:
    return started([mention], settings=Settings(box_policy=BoxPolicyName.BELIEF, **changes))


def waiting(**changes: Any) -> Story:
    """Make a chain whose only box, drawn by worker 1, waits for its quality judgment."""
    story = started([GUY], settings=Settings(**changes)).judged((DRAW, BOX, 1))
    story.settings = replace(story.settings, box_policy=BoxPolicyName.BELIEF)
    return story


def test_an_answer_is_kept_with_the_worker_s_skill_and_the_boxes_shown_and_opens_the_next_question():
    story = begun(DOGS)
    asked = story.question(DRAW).number
    entry = story.add(EntryKind.JUDGMENT, {"question": asked, "worker": 4, "answer": BOX}, EntryContext(skill=0.25))
    assert story.chain().answers == [ChainAnswer(entry, 4, DRAW, 0, [], 0.25)]
    assert story.question(DRAW).number != asked, "it shows the box"
    entry = story.judge(DRAW, NONE_MISSING, worker=5)
    assert story.chain().answers[1] == ChainAnswer(entry, 5, DRAW, NOTHING_DRAWN, [0])


def test_a_judged_box_counts_for_its_drawer_and_one_that_nobody_judged_does_not():
    story, other = waiting(), begun(DOGS)
    story.judge(JUDGE_BOX, "good", worker=3)
    assert story.reasons("box") == ["judged good"]
    other.judge(DRAW, BOX, worker=1)
    assert other.reasons("box") == ["drawn", "kept as likely good"]


def test_an_answer_is_taken_back_and_its_voter_is_not_asked_again():
    story = begun(PARK, no_box_votes=3)
    first = story.judge(ASK, 3, worker=1)
    story.judge(ASK, 2, worker=2)
    number = story.question(ASK).number
    story.void(first)
    assert [(one.value, one.counts) for one in story.chain().answers] == [(3, False), (2, True)]
    assert (story.question(ASK).number, story.question(ASK).barred) == (number, [1, 2])


@pytest.mark.parametrize(("answer", "outcome"), [(1, "box required"), (2, "no box required"), (3, "no box required")])
def test_a_question_that_an_answer_closes_has_that_answer_for_its_outcome(answer: int, outcome: str):
    story = begun(PARK)
    for worker in range(1, 9):
        if (ASK, [0]) in story.asked():
            story.judge(ASK, answer, worker)
    assert story.reasons("question") == [outcome]


def test_a_program_s_box_changes_no_question_where_pre_annotations_are_off():
    story = started([MAN])
    number = story.question(DRAW).number
    story.add(EntryKind.PROPOSE, {"worker": 40, "boxes": [[0, 10, 10, 50, 50]]})
    assert story.question(DRAW).number == number


def test_a_drawing_is_taken_back_with_its_box_as_long_as_nobody_has_seen_it():
    story = begun(DOGS)
    drawing, shown = story.judge(DRAW, BOX, worker=1), story.question(DRAW).number
    story.void(drawing)
    assert story.boxes(BoxState.DISCARDED) == [0]
    assert shown not in story.progress.open, "it showed the box"
    assert 1 in story.question(DRAW).barred
    drawing = story.judge(DRAW, BOX, worker=3)
    story.judge(DRAW, OTHER_BOX, worker=2)
    with pytest.raises(CannotVoidError, match="something has followed"):
        story.void(drawing)


def test_an_answer_of_a_finished_chain_stays_and_its_chances_go_when_an_expert_takes_it_up():
    story = begun(PARK).judged((ASK, 2, 1))
    last = story.judge(ASK, 2, worker=2)
    assert story.state() is ChainState.NON_VISUAL
    with pytest.raises(CannotVoidError):
        story.void(last)
    assert story.by_expert("review", chain=0).chain().box_confidence is None


def test_a_judgment_that_dropped_a_box_stays():
    story = waiting()
    data = {"question": story.question(JUDGE_BOX).number, "worker": 2, "answer": "bad"}
    judgment = story.add(EntryKind.JUDGMENT, data, EntryContext(skill=-3.0))
    assert story.boxes(BoxState.DISCARDED) == [0] and story.reasons("box") == ["judged bad"]
    with pytest.raises(CannotVoidError):
        story.void(judgment)


def test_an_answer_that_is_taken_back_weighs_nothing():
    story, other = begun(PARK), begun(PARK)
    story.void(story.judge(ASK, 3, worker=1))
    for one in (story, other):
        one.judged((ASK, 3, 2), (ASK, 3, 3))
    assert story.chain().box_confidence == other.chain().box_confidence


def test_an_expert_who_sends_a_chain_on_vouches_for_its_boxes_and_clears_the_rest():
    story = begun(DOGS).judged((DRAW, BOX, 1)).by_expert("review", chain=0).by_expert("send", chain=0, to="coverage")
    assert {one.worker for one in story.chain().answers} == {None}
    story.judged((COVER, "all there", 2), (COVER, "all there", 3))
    assert story.state() is ChainState.COMPLETE
    assert (story.progress.boxes[0].confidence or 0) > 0.99


CHECK, ATOM = Task.CAPTION_CHECK, Task.ATOM_VISUAL
CORRECT, WRONG = {"verdict": "correct"}, {"verdict": "wrong", "word": 1}


def picture(settings: Settings | None = None) -> Story:
    """Make an annotated image without phrases, as surveys import it."""
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": [], "chains": [], "boxes": []})
    protocol = settings or Settings()
    return Story(begin(entry), protocol, [(entry, compose(protocol))])


def ask(story: Story, item: str = "1:foil", task: Task = CHECK, **more: Any) -> int:
    """Ask a question, and return its number."""
    story.add(EntryKind.ASK, {"task": task.value, "item": item, "shown": {"caption": "a dog rides"}, **more})
    return max(story.progress.open)


def vote(story: Story, *answers: Any, first: int = 1, number: int = 0) -> list[int]:
    """Let workers answer a question, from number `first` on. Returns the entries."""
    data = [{"question": number, "worker": worker, "answer": answer} for worker, answer in enumerate(answers, first)]
    return [story.add(EntryKind.JUDGMENT, one) for one in data]


def voted(*answers: Any) -> Story:
    """Make an image with one question, to which workers have given these answers."""
    story = picture()
    ask(story)
    vote(story, *answers)
    return story


def test_a_question_shows_what_was_asked_and_nothing_of_the_image() -> None:
    story = picture()
    ask(story, truth=WRONG)
    row = image_rows(story.progress).questions[0]
    assert row.subject == [0]
    assert row.shown == {"mentions": [], "boxes": [], "new_box": None, "survey": {"caption": "a dog rides"}}


@pytest.mark.parametrize(("answers", "verdict"), [((CORRECT, WRONG, CORRECT), "correct"), ((WRONG, WRONG), None)])
def test_the_majority_of_three_closes_it(answers: Any, verdict: str | None) -> None:
    story = voted(*answers)
    assert (0 in story.progress.open) is (verdict is None)
    assert story.reasons("question") == ([verdict] if verdict else [])
    assert [one.answer for one in story.progress.surveys[0].votes] == list(answers)
    assert story.progress.state is ImageState.MERGED and not story.reasons("image")
    assert verdict or story.question(CHECK).barred == [1, 2], "nobody votes twice"


def test_questions_of_one_image_are_counted_apart() -> None:
    story = picture()
    first, second = ask(story, "a", ATOM), ask(story, "b", ATOM)
    vote(story, "yes", "yes", "no", number=second)
    assert list(story.progress.open) == [first]
    assert (len(story.progress.surveys[first].votes), len(story.progress.surveys[second].votes)) == (0, 3)


def test_a_voided_vote_is_asked_again_of_another_worker() -> None:
    story = picture()
    ask(story)
    story.void(vote(story, CORRECT, CORRECT, WRONG)[1])
    assert story.question(CHECK).barred == [1, 2, 3] and story.reasons("question") == ["vote voided"]
    vote(story, WRONG, first=4)
    assert story.reasons("question") == ["wrong"]


def test_two_votes_of_one_question_can_be_voided_at_once_and_each_once() -> None:
    story = picture()
    ask(story)
    entry, *others = vote(story, CORRECT, CORRECT, CORRECT)
    story.void(entry, others[0])
    assert [one.worker for one in story.progress.surveys[0].votes] == [3]
    assert len(story.reasons("question")) == 1
    with pytest.raises(CannotVoidError):
        story.void(entry)


def test_a_question_that_nobody_may_answer_is_given_up_with_its_votes() -> None:
    story = voted(CORRECT)
    story.add(EntryKind.STARVE, {"question": 0})
    assert not story.progress.open and story.reasons("question") == ["starved"]
    assert len(story.progress.surveys[0].votes) == 1


def test_with_fewer_votes_the_next_one_closes_it_unless_it_ties() -> None:
    story = picture(Settings(survey_votes=5))
    ask(story)
    vote(story, CORRECT, WRONG, CORRECT)
    story.settings = replace(story.settings, survey_votes=3)
    vote(story, WRONG, first=4)
    assert 0 in story.progress.open
    vote(story, WRONG, first=5)
    assert story.reasons("question") == ["wrong"]


def test_only_surveys_are_asked() -> None:
    with pytest.raises(NoSurveyError, match="box quality is not a survey"):
        ask(picture(), task=JUDGE_BOX)


def test_an_experts_act_beside_a_survey_can_be_undone_and_a_chain_in_review_leaves_it_open() -> None:
    story = started([MAN])
    number, act = ask(story), story.expert("review", chain=0)
    vote(story, CORRECT, number=number)
    story.undo(act)
    assert {one.task for one in story.progress.open.values()} == {DRAW, CHECK}
    assert [one.worker for one in story.progress.surveys[number].votes] == [1]
    story = started([MAN]).judged((DRAW, BOX, 1))
    number = ask(story)
    assert list(story.report("image", 0, worker=None, expert=True).progress.open) == [number]
