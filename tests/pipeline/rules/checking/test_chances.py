"""Chances of labels: those of the beliefs that decide what is asked, before any answer and after."""

from dataclasses import replace

import pytest

from annotation.rules.states import ChainState
from pipeline.rules.checking.chances import chances_of, link_view
from pipeline.rules.tasks.task import Task
from tests.pipeline.rules.image.test_checked import CHECK, JUDGED, JUROR, LEFT, MEN, PERSON, RIGHT, checking, good_men

UNSURE = replace(CHECK, box_sure=0.99)
"""Boxes are asked about whatever the source says."""


def test_the_chances_of_a_finished_label_are_those_that_exports_have():
    story = good_men()
    [chances] = chances_of(story.progress, CHECK).values()
    assert chances.boxes * chances.flag == pytest.approx(story.chain().box_confidence, abs=1e-3)
    assert chances.doubt == pytest.approx(1 - chances.mentions * chances.boxes * chances.flag)


def test_a_source_tells_which_chains_break_the_rules_of_links_so_nothing_is_taken_off_for_others():
    story = good_men()
    assert chances_of(story.progress, CHECK)[0].mentions > (story.chain().confidence or 1) > 0.9


def test_the_boxes_of_the_source_count_before_any_of_them_was_shown():
    asked = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]])
    assert asked.chain().state is ChainState.LINKING
    assert not asked.progress.boxes
    [waiting] = chances_of(asked.progress, CHECK).values()
    [shown] = chances_of(good_men().progress, CHECK).values()
    assert (waiting.boxes, waiting.flag) == pytest.approx((shown.boxes, shown.flag), abs=1e-6)
    assert waiting.mentions < shown.mentions


def test_answers_move_the_chances():
    story = good_men(UNSURE)
    before = chances_of(story.progress, UNSURE)[0]
    task = story.asked()[0][0]
    story.judge(task, {Task.BOX_QUALITY: "bad", Task.BOX_COVERAGE: "more needed"}[task], PERSON)
    assert chances_of(story.progress, UNSURE)[0].boxes < before.boxes
    judged = good_men(JUDGED)
    before = chances_of(judged.progress, JUDGED)[0]
    judged.judge(Task.BOX_QUALITY, "good", JUROR)
    assert chances_of(judged.progress, JUDGED)[0].boxes > before.boxes


def test_a_label_without_a_box_is_in_doubt_by_its_flag_alone():
    story = checking(*MEN, chains=[[0, 1]], boxes=[], flags={"0": "scene", "1": "scene"})
    [chances] = chances_of(story.progress, CHECK).values()
    assert chances.boxes == 1.0
    assert chances.flag < 0.95


def test_pairs_in_question_have_chances_as_if_nothing_more_were_asked():
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]])
    assert story.asked() and not story.progress.together
    view = link_view(story.progress, CHECK)
    assert 0 < view.together[0, 1] < 1
    assert view.mentions == {0: pytest.approx(view.together[0, 1], abs=0.05)}
