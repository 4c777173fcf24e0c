"""Answers to box tasks, as a chain keeps them."""

from pydantic import TypeAdapter

from pipeline.rules.boxing.belief.box_belief import BoxAnswer, BoxEvidence, believe
from pipeline.rules.progress.heard_answer import EXPERT_SHIFT, EXPERT_TRUST, NOTHING_DRAWN, HeardAnswer
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import NONE_MISSING, started


def test_a_row_without_a_shift_and_a_trust_is_the_answer_of_a_usual_worker() -> None:
    row = TypeAdapter(HeardAnswer).validate_python([3, 4, "box_quality", "good", [0]])
    assert row == HeardAnswer(3, 4, Task.BOX_QUALITY, "good", [0], shift=0.0, trust=None)


def test_who_found_none_missing_has_drawn_no_box() -> None:
    story = started([("people", "a man")], settings=ProtocolSettings(box_policy=BoxPolicy.BELIEF))
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=1)
    assert story.chain().heard == [HeardAnswer(2, 1, Task.BOX_DRAWING, NOTHING_DRAWN, [])]
    assert not story.progress.boxes and NOTHING_DRAWN < 0, "boxes are numbered from 0"


def test_an_expert_s_box_is_sure_even_where_none_was_expected() -> None:
    drawn = BoxAnswer(Task.BOX_DRAWING, None, 0.0, 0, (), EXPERT_TRUST)
    judged = BoxAnswer(Task.BOX_QUALITY, "good", EXPERT_SHIFT, 0)
    assert believe(BoxEvidence((0.5, 0.5), (drawn, judged))).p_good(0) > 0.99
