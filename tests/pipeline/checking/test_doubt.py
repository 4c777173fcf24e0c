"""Doubts about labels of a checked data set, before and after answers.
Reasons of doubt, each where it holds and nowhere else.
Chances of labels: those of the beliefs that decide what is asked, before any answer and after.
Trust that is learned: the prior takes the shares of wrong labels that a check has found.
The share of chains that people judge at random.
The share of wrong labels: many sets of labels whose truth is drawn, asked about by doubt and at random.
"""

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from annotation.rules.dictionaries import load_dictionaries
from annotation.rules.states import ChainState
from belief.boxes.box_prior import DEFAULT, BoxPrior
from belief.models.reference import Reference
from pipeline.checking.begin_check import usual_audit_rate
from pipeline.checking.chances import chances_of, link_view
from pipeline.checking.doubt import LabelPart, LabelStatus, doubts_of, expected_of, expected_wrong
from pipeline.checking.label_evidence import LabelEvidence, NewLabel, SideEvidence
from pipeline.checking.reasons import DoubtReason, Why, reasons_of
from pipeline.checking.wrong_share import WrongShare, wrong_shares
from pipeline.learning.learn import with_wrong_shares
from pipeline.protocol.image.machine import EntryKind, begin
from pipeline.protocol.tasks.task import Task
from runtime.intervals import IntervalEstimate
from tests.pipeline.policies.test_reference_set import (
    ANNOTATOR,
    CHECK,
    JUDGED,
    LEFT,
    MEN,
    PERSON,
    RIGHT,
    SOURCE,
    checking,
    good_men,
)
from tests.support.images import Story, started
from tests.support.settings_with import settings_with
from tests.support.table import row


def test_doubts_are_of_a_checked_data_set_and_expected_wrong_labels_are_their_sum():
    assert doubts_of(good_men().progress, replace(CHECK, reference_set=0)) == []
    [doubt] = doubts_of(good_men().progress, CHECK)
    assert doubt.status is LabelStatus.UNCHANGED and 0 < doubt.chances.doubt < 0.2
    [doubt] = doubts_of(checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]]).progress, CHECK)
    assert (doubt.chain, doubt.status) == (0, LabelStatus.IN_QUESTION) and 0 < doubt.chances.mentions < 1
    found = expected_wrong([0.5] * 100)
    assert (found.labels, found.wrong) == (100, 50.0)
    assert (found.low, found.high) == pytest.approx((50 - 8.22427, 50 + 8.22427))
    assert expected_of(3, 0.1, 0.09).low == 0.0


OTHER = 70
"""Another program."""
MAN_AND_DOG = [("people", "a man"), ("animals", "a dog")], [("people", "the man"), ("animals", "the dog")]
CHAINS = [[0, 2], [1, 3]]


def reasons(story: Story, chain: int = 0, settings: Any = CHECK) -> dict[Why, DoubtReason]:
    found = reasons_of(story.progress, settings, chain, load_dictionaries())
    assert [one.part for one in found] == sorted((one.part for one in found), key=list(LabelPart).index)
    return {one.why: one for one in found}


def of_boxes(man: list[list[int]], dog: list[list[int]], settings: Any = CHECK, **said: Any) -> Story:
    """Check a man and a dog with these boxes. `said`: chains and boxes of another program."""
    boxes = [[number, *box] for own, numbers in ((man, (0, 2)), (dog, (1, 3))) for box in own for number in numbers]
    first = started(*MAN_AND_DOG).record[0][0]
    story = Story(begin(first), settings, [(first, settings)])
    story.add(EntryKind.PROPOSE, {"worker": SOURCE, "boxes": boxes, "chains": CHAINS})
    if said:
        story.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": [], **said})
    story.add(EntryKind.START)
    return story


# Nothing speaks against a label that looks fine.
@row([LEFT], [RIGHT], {})
@row([LEFT], [LEFT], {Why.SAME_BOX: DoubtReason(Why.SAME_BOX, LabelPart.BOXES, 1.0, other=1)})
@row([[10, 10, 20, 20]], [LEFT], {})  # a dog is no part of a man
@row([LEFT, RIGHT], [[0, 50, 40, 90]], {Why.NUMBER: DoubtReason(Why.NUMBER, LabelPart.BOXES, 0.0147, number=2)})
@row([], [RIGHT], {Why.NUMBER: DoubtReason(Why.NUMBER, LabelPart.FLAG, 0.02, number=0)})
def test_boxes_are_held_against_those_of_other_chains_and_the_usual_number(man: Any, dog: Any, found: Any):
    assert reasons(of_boxes(man, dog)) == found


def test_a_box_inside_one_of_the_same_type_is_named():
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, 10, 10, 20, 20], [1, *LEFT]], settings=CHECK)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON)
    while any(task is Task.COREFERENCE_LINK for task, _ in story.asked()):
        story.judge(Task.COREFERENCE_LINK, "different", len(story.record))
    assert reasons(story)[Why.INSIDE] == DoubtReason(Why.INSIDE, LabelPart.BOXES, 1.0, other=1)


def test_other_programs_are_held_against_the_label():
    said = {"chains": [[0], [1, 3], [2]], "boxes": [[0, *RIGHT], [0, 0, 50, 40, 90]]}
    found = reasons(of_boxes([LEFT], [[50, 50, 90, 90]], **said))
    assert found[Why.PROGRAM_LINKS].programs == 1
    for why in (Why.PROGRAM_NUMBER, Why.PROGRAM_BOX):
        assert (found[why].number, found[why].programs) == (1, 2), why


def test_pairs_that_may_be_two_things_are_named_with_the_answers_and_the_source_that_say_so():
    unsure = replace(CHECK, reference_trust=0.8)
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]], settings=unsure)
    assert Why.SOURCE in reasons(story, settings=unsure)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON)
    found = reasons(story, settings=unsure)
    assert list(found)[:3] == [Why.APART, Why.PEOPLE_LINKS, Why.SOURCE]
    assert (found[Why.APART].mention, found[Why.APART].other) == (0, 1)
    assert found[Why.PEOPLE_LINKS] == DoubtReason(Why.PEOPLE_LINKS, LabelPart.MENTIONS, number=1, programs=0)
    story.judge(Task.COREFERENCE_LINK, "different", PERSON + 1)
    assert story.chains() == [[0], [1]]
    assert reasons(story, 1, settings=unsure)[Why.ALIKE][3:] == (None, None, 1, 0, ())


def test_answers_of_people_and_models_are_counted_apart_and_a_type_is_doubted_where_the_dictionaries_have_another():
    story = of_boxes([LEFT], [RIGHT], JUDGED)
    story.judge(Task.BOX_QUALITY, "bad", ANNOTATOR, [0])
    assert reasons(story, settings=JUDGED)[Why.BAD] == DoubtReason(Why.BAD, LabelPart.BOXES, number=0, programs=1)
    story = checking([("clothing", "a dog")], [("animals", "a fluffy thing")], chains=[[0], [1]], boxes=[[0, *LEFT]])
    assert reasons(story)[Why.TYPE].types == ("animals",)
    assert Why.TYPE not in reasons(story, 1), "the dictionaries do not know the word"


UNSURE = replace(CHECK, box_sure=0.99)
"""Boxes are asked about whatever the source says."""


@row(CHECK)
@row(settings_with(CHECK, box_prior={"wrong": {"": [0.02, 0.02], "people": [0.02, 0.2]}}))
def test_the_chances_of_a_finished_label_are_those_that_exports_have_but_for_rules_of_which_a_source_tells(settings):
    story = good_men(settings)
    while story.asked():
        story.judge(story.asked()[0][0], "good" if story.asked()[0][0] is Task.BOX_QUALITY else "all there", PERSON)
    [chances] = chances_of(story.progress, settings).values()
    assert chances.boxes * chances.flag == pytest.approx(story.chain().box_confidence, abs=1e-3)
    assert chances.doubt == pytest.approx(1 - chances.mentions * chances.boxes * chances.flag)
    # A source tells which chains break the rules of links, so nothing is taken off for others.
    assert chances.mentions > (story.chain().confidence or 1) > 0.9


def test_the_boxes_of_the_source_count_before_any_was_shown_and_pairs_in_question_as_if_no_more_were_asked():
    asked = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]])
    assert asked.chain().state is ChainState.LINKING and not asked.progress.boxes
    [waiting] = chances_of(asked.progress, CHECK).values()
    [shown] = chances_of(good_men().progress, CHECK).values()
    assert (waiting.boxes, waiting.flag) == pytest.approx((shown.boxes, shown.flag), abs=1e-6)
    assert waiting.mentions < shown.mentions
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *RIGHT]])
    assert story.asked() and not story.progress.together
    view = link_view(story.progress, CHECK)
    assert 0 < view.together[0, 1] < 1
    assert view.mentions == {0: pytest.approx(view.together[0, 1], abs=0.05)}


def test_answers_move_the_chances():
    story = good_men(UNSURE)
    judged, task = good_men(JUDGED), story.asked()[0][0]
    before, sure = chances_of(story.progress, UNSURE)[0], chances_of(judged.progress, JUDGED)[0]
    story.judge(task, {Task.BOX_QUALITY: "bad", Task.BOX_COVERAGE: "more needed"}[task], PERSON)
    judged.judge(Task.BOX_QUALITY, "good", ANNOTATOR)
    assert chances_of(story.progress, UNSURE)[0].boxes < before.boxes
    assert chances_of(judged.progress, JUDGED)[0].boxes > sure.boxes


def test_a_label_without_a_box_is_in_doubt_by_its_flag_alone():
    story = checking(*MEN, chains=[[0, 1]], boxes=[], flags={"0": "scene", "1": "scene"})
    [chances] = chances_of(story.progress, CHECK).values()
    assert chances.boxes == 1.0 and chances.flag < 0.95


def test_the_prior_knows_mentions_and_boxes_apart_for_each_type_that_has_labels_and_without_labels_nothing_is_learned():
    sure, wrong = SideEvidence(0.05, -5.0, answered=True), SideEvidence(0.05, 5.0, answered=True)
    prior = with_wrong_shares(DEFAULT, [([LabelEvidence(frozenset({"people"}), sure, wrong)], [])] * 30)
    mentions, boxes = prior.wrong["people"]
    assert set(prior.wrong) == {"", "people"} and mentions < 0.05 < 0.8 < boxes
    assert BoxPrior.from_json(prior.to_json()) == prior
    assert with_wrong_shares(DEFAULT, [([], [])]) is DEFAULT


def test_a_source_counts_for_less_where_it_errs_and_few_chains_need_a_larger_share_than_many():
    source = Reference(50, 0.95, (("", 0.05, 0.1), ("people", 0.4, 0.02)))
    assert source.of_links({"people"}).trust == pytest.approx(0.6) and source.of_boxes({"people"}).trust > 0.97
    assert source.of_links({"animals"}).trust == pytest.approx(0.95), "as all others"
    assert Reference(50, 0.95).of_links({"people"}) == Reference(50, 0.95), "nothing was learned"
    assert [usual_audit_rate(chains) for chains in (0, 100, 3_000, 6_000, 1_000_000)] == [0.2, 0.2, 0.2, 0.1, 0.03]


PEOPLE, OTHER_LABEL = frozenset({"people"}), frozenset({"other"})
ERROR = 0.12
SAID = math.log((1 - ERROR) / ERROR)
RIGHT_LABEL = SideEvidence(1e-4)
Image = tuple[list[LabelEvidence], list[NewLabel]]


def label(boxes: SideEvidence, types: frozenset[str] = PEOPLE, now: float | None = None) -> LabelEvidence:
    return LabelEvidence(types, RIGHT_LABEL, boxes, now=now)


def drawn(draw: Random, images: int, wrong: float, *, lot: float = 0.2) -> tuple[list[Image], float]:
    """Return labels, of which doubtful ones and those of a lot got an answer, and the share that is wrong.

    The doubts are too large by half, and the crowd errs as often as the likelihoods say.
    """
    found, truth = [], []
    for _ in range(images):
        labels = []
        for _ in range(6):
            chance = min(draw.expovariate(1 / wrong), 0.9)
            truth.append(draw.random() < chance)
            said, asked = 0.0, chance > 0.25 or draw.random() < lot
            if asked:
                called_wrong = truth[-1] != (draw.random() < ERROR)
                said = SAID * (1 if called_wrong else -1)
            labels.append(label(SideEvidence(min(1.5 * chance, 0.95), said, asked)))
        found.append((labels, list[NewLabel]()))
    return found, sum(truth) / len(truth)


@pytest.mark.parametrize("wrong", [0.02, 0.1, 0.4])
def test_the_truth_lies_in_nearly_all_intervals_however_much_is_wrong(wrong: float):
    draw, inside = Random(f"shares {wrong}"), 0
    for _ in range(8):
        images, truth = drawn(draw, 40, wrong)
        share = wrong_shares(images)[""].before
        inside += share.holds(truth)
    assert inside >= 6


def before(*labels: list[LabelEvidence]) -> IntervalEstimate:
    """Return the share of wrong labels before the check, in images with these labels."""
    return wrong_shares([(one, list[NewLabel]()) for one in labels])[""].before


def test_many_answers_make_the_interval_narrow_few_leave_it_wide_and_where_nothing_is_wrong_there_is_one_too():
    draw = Random("lot")
    lots = [(draw.random() < 0.1) != (draw.random() < ERROR) for _ in range(300)]
    told = [label(SideEvidence(0.1, SAID if lot else -SAID, answered=True)) for lot in lots]
    wide = before(*([one if place < 30 else label(SideEvidence(0.1))] for place, one in enumerate(told)))
    narrow = before(*([one] for one in told))
    assert narrow.high - narrow.low < 0.7 * (wide.high - wide.low)
    share = before(*([label(SideEvidence(0.05, -2 * SAID, answered=True))] for _ in range(50)))
    assert 0 < share.low < share.value < share.high < 0.1


def test_boxes_that_people_confirm_take_no_doubt_from_those_that_nobody_was_asked_about():
    confirmed = [label(SideEvidence(0.5, -2 * SAID, answered=True)) for _ in range(30)]
    unasked = [label(SideEvidence(0.05)) for _ in range(60)]
    share = before(*([one] for one in (*confirmed, *unasked)))
    assert 0.05 * 60 / 90 < share.value < 0.05 and share.high > 1.2 * share.value
    found = [label(SideEvidence(0.05, 2 * SAID, answered=True)) for _ in range(30)]
    more = before(*([one] for one in (*found, *unasked)))
    assert more.value > (0.9 * 30 + 0.07 * 60) / 90, "errors where none was expected add doubt to all"


def test_each_type_has_its_own_share_and_a_type_without_labels_has_any():
    bad = [label(SideEvidence(0.1, 2 * SAID, answered=True), OTHER_LABEL) for _ in range(20)]
    good = [label(SideEvidence(0.1, -2 * SAID, answered=True)) for _ in range(20)]
    found = wrong_shares([([one, other], list[NewLabel]()) for one, other in zip(bad, good, strict=True)])
    assert found["other"].before.low > found["people"].before.high
    assert found["people"].before.value < found[""].before.value < found["other"].before.value
    assert (found["people"].labels, found[""].labels) == (20, 40)
    assert found["animals"] == WrongShare(0, *[IntervalEstimate(0.0, 0.0, 1.0)] * 4)


def test_after_the_check_changed_labels_are_as_likely_wrong_as_their_new_boxes():
    changed = label(SideEvidence(0.1, 9.0, answered=True), now=0.02)
    parted = LabelEvidence(PEOPLE, SideEvidence(0.1, 9.0), RIGHT_LABEL, parted=True)
    found = wrong_shares([([changed, parted], [NewLabel(PEOPLE, 0.04)])])[""]
    assert found.before.value > 0.95
    assert found.after.value == pytest.approx(0.03, abs=0.004), "two labels are left"
    assert found.mentions.value + found.boxes.value == pytest.approx(found.before.value)
