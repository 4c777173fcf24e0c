"""Checking a data set: what stays as it is, what is asked, and what nobody changes alone.
Boxes that programs predict are judged instead of being drawn.
"""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual
from belief.boxes.box_belief import BoxEvidence
from belief.boxes.box_prior import BoxPrior, ProgramRecord
from belief.boxes.next_box_question import BoxStep, next_step
from belief.models.records import LinkAudit
from belief.models.reference import OF_BOXES, Reference
from pipeline.policies import belief_boxes
from pipeline.policies.adaptive_links import draw_link_audit, link_audit_of
from pipeline.policies.compose import compose, engine_of
from pipeline.policies.models import in_audit, most_trusted, trust_in
from pipeline.policies.reference_set import (
    SAME_BOXES_RATIO,
    misplaced,
    needs_no_answer,
    reference_box_count,
    similar_box_evidence,
    similar_boxes_of,
    summed_evidence,
    trust_in_boxes,
)
from pipeline.protocol.boxes.pre_annotations import keep_pre_annotations, predicted_numbers
from pipeline.protocol.image.machine import EntryKind, begin
from pipeline.protocol.image.merging import can_merge
from pipeline.protocol.image.undo import apply_record
from pipeline.protocol.rules import EntryContext
from pipeline.protocol.state.progress_json import to_json
from pipeline.protocol.tasks.answers import drawing
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from tests.support.images import BOX, DOG, MAN, Story, imported, started
from tests.support.settings_with import settings_with
from tests.support.table import case, row
from tests.support.tasks import ASK, COVER, DRAW, JUDGE, LINK, VERIFY

SOURCE, OTHER, ANNOTATOR, PERSON = 50, 51, 60, 1
KNOWN = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {"person": [95.0, 5.0]}}
BY_BELIEF = Settings(strategy=LinkStrategy.ADAPTIVE, box_policy=BoxPolicyName.BELIEF, pre_annotations=True)
CHECK = replace(BY_BELIEF, reference_set=SOURCE, audit_rate=0.0, box_sure=0.7, reask_rate=0.0)
JUDGED = settings_with(CHECK, model_annotators=(ANNOTATOR,), box_prior={"model_annotators": {str(ANNOTATOR): KNOWN}})
MEN = [("people", "a man")], [("people", "the man")]
TWO_MEN = [("people", "two men")], [("people", "the men")]
LEFT, RIGHT = [0, 0, 40, 40], [50, 0, 90, 40]


def checking(*captions: list[tuple[str, str]], settings: Settings = CHECK, beside: Any = None, **said: Any) -> Story:
    """Begin to check an image of which the source says this: `chains`, `boxes`, `flags`; another one `beside` it."""
    first = started(*captions).record[0][0]
    story = Story(begin(first), settings, [(first, compose(settings))])
    story.add(EntryKind.PROPOSE, {"worker": SOURCE, "flags": {}, **said})
    if beside:
        story.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": beside})
    story.add(EntryKind.START)
    return story


def good_men(settings: Settings = CHECK, boxes: list[list[int]] | None = None) -> Story:
    own = [[0, *LEFT], [1, *LEFT]] if boxes is None else boxes
    return checking(*MEN, chains=[[0, 1]], boxes=own, settings=settings)


def shown(story: Story) -> list[list[int]]:
    return [list(box.box) for box in story.progress.boxes.values() if box.state is BoxState.ACCEPTED]


def test_a_label_that_looks_fine_stays_without_an_answer_while_it_has_the_boxes_of_the_source():
    story = good_men()
    assert (story.asked(), story.chains(), shown(story)) == ([], [[0, 1]], [LEFT])
    assert story.state() is ChainState.COMPLETE
    assert to_json(apply_record(story.record)) == to_json(story.progress)
    kept, unchecked = [box.number for box in story.progress.accepted(0)], replace(CHECK, reference_set=0)
    assert needs_no_answer(story.progress, story.chain(), engine_of(CHECK).source, kept)
    assert not needs_no_answer(story.progress, story.chain(), engine_of(CHECK).source, [])
    assert not needs_no_answer(story.progress, story.chain(), engine_of(unchecked).source, kept)
    assert good_men(unchecked).asked(), "without a source to check the same boxes are asked about"


def test_a_chain_that_breaks_the_rules_of_links_stays_as_the_source_has_it():
    table = [("other", "a table"), ("people", "a man"), ("scene", "the table")]
    story = checking(table, chains=[[0, 2], [1]], boxes=[[0, *LEFT], [2, *LEFT], [1, *RIGHT]])
    assert story.chains() == [[0, 2], [1]]
    assert not [task for task, _ in story.asked() if task is LINK]


def test_nobody_is_asked_about_two_phrases_of_one_caption():
    twins = [("people", "a man"), ("people", "a man")], [("people", "two strangers")]
    story = checking(*twins, chains=[[0, 1], [2]], boxes=[], settings=replace(CHECK, link_stop=0.01))
    captions = {0: 0, 1: 0, 2: 1}
    while links := [subject for task, subject in story.asked() if task is LINK]:
        assert captions[links[0][0]] != captions[links[0][1]]
        story.judge(LINK, "different", len(story.record), links[0])


@row([LEFT, RIGHT])
@row([[3 * at, 0, 3 * at + 2, 9] for at in range(30)])
@row([[at, 0, at + 40, 40] for at in range(5)])
def test_all_boxes_are_shown_together_from_the_start_however_many_there_are_and_however_they_overlap(own: Any):
    story = checking(*TWO_MEN, chains=[[0, 1]], boxes=[[number, *box] for number in (0, 1) for box in own])
    assert sorted(shown(story)) == sorted(own)
    assert reference_box_count(story.progress, story.chain(), engine_of(CHECK).source) == len(own)
    assert not [task for task, _ in story.asked() if task is not COVER], "no single box is doubted"


def test_boxes_of_chains_that_people_join_are_shown_once_where_they_overlap():
    near, settings = [2, 0, 42, 40], replace(CHECK, link_stop=0.4)
    boxes = [[0, *LEFT], [0, *RIGHT], [1, *near], [1, *RIGHT]]
    story = checking(*TWO_MEN, chains=[[0], [1]], boxes=boxes, settings=settings)
    people = count(PERSON)
    while (LINK, [0, 1]) in story.asked():
        story.judge(LINK, "same", next(people), [0, 1])
    assert story.chains() == [[0, 1]]
    assert [list(box.box) for box in story.progress.boxes.values()] == [LEFT, RIGHT]
    assert reference_box_count(story.progress, story.chain(), engine_of(settings).source) == 2


def test_many_boxes_are_doubted_as_much_as_several_together():
    prior = engine_of(CHECK).box_rules.prior
    one, few, many = (trust_in_boxes(engine_of(CHECK).source, ["people"], number, prior) for number in (1, 3, 30))
    assert one == few == pytest.approx(0.95, abs=1e-3)
    assert many**30 == pytest.approx(few**3)
    learned = Reference(SOURCE, wrong=(("", 0.1, 0.2), ("people", 0.1, 0.5)))
    assert trust_in_boxes(learned, ["people"], 1, BoxPrior()) == pytest.approx(1 - 0.5 * OF_BOXES)


def noted_evidence(monkeypatch: pytest.MonkeyPatch) -> list[BoxEvidence]:
    """Return a list to which belief, from now on, appends what it weighs."""
    weighed: list[BoxEvidence] = []

    def weigh(evidence: BoxEvidence, *rules: Any) -> BoxStep:
        weighed.append(evidence)
        return next_step(evidence, *rules)

    monkeypatch.setattr(belief_boxes, "next_step", weigh)
    return weighed


def test_as_many_boxes_are_expected_whichever_was_dropped(monkeypatch: pytest.MonkeyPatch):
    weighed = noted_evidence(monkeypatch)
    story = good_men(replace(JUDGED, model_annotators=(), box_sure=0.99), [[0, *LEFT]])
    story.judged((COVER, "more needed", 1), (COVER, "more needed", 2), (JUDGE, "bad", 3))
    story.judged((DRAW, drawing(Box(*RIGHT)), 4), (COVER, "more needed", 5), (DRAW, drawing(Box(*RIGHT)), 6))
    story.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": [[0, 20, 50, 60, 90]]})
    weighed.clear()
    story.judge(COVER, "more needed", 7)
    assert story.reasons("box") == ["likely bad", "pre_annotated", "kept as likely good"]
    assert weighed[0].counts == weighed[1].counts


def test_a_chain_without_a_box_keeps_the_reason_that_the_source_gives():
    for flag in NonVisual:
        story = checking([("other", "the fun")], [("other", "fun")], chains=[[0, 1]], boxes=[], flags={"0": flag.value})
        assert story.state() is ChainState.NON_VISUAL and story.chain().non_visual == flag.value


def test_no_program_alone_drops_a_box_of_the_source():
    story = good_men(JUDGED).judged((JUDGE, "bad", ANNOTATOR))
    while any(task in (COVER, ASK) for task, _ in story.asked()):
        task = story.asked()[0][0]
        story.judge(task, "more needed" if task is COVER else 1, ANNOTATOR)
    assert story.asked() == [(JUDGE, [0, 0])]
    story.judge(JUDGE, "bad", PERSON)
    assert not shown(story), "a person has seen it, too"


def test_people_answer_about_what_the_audit_draws():
    story = good_men(replace(CHECK, audit_rate=0.2))
    assert 1 <= len([seed for seed in range(16) if _with_audit(seed).asked()]) <= 10
    assert link_audit_of(story.progress) is not None


def test_more_is_asked_about_links_of_the_images_that_tell_how_many_are_wrong():
    phrases = [("people", "a man")], [("people", "a worker")]
    image, seeds = imported(*phrases).progress, defaultdict(list)
    for seed in range(80):
        drawn = replace(image, seed=seed)
        seeds[draw_link_audit(drawn, engine_of(_audit_settings(0.2)))].append(seed)
    assert 8 <= len(seeds[LinkAudit.CLOSELY]) <= 24
    for fate in (LinkAudit.CLOSELY, LinkAudit.BOTH):
        for seed in seeds[fate][:8]:
            story = _with_audit(seed, *phrases, lot=0.2)
            assert link_audit_of(story.progress) is fate
            assert ((LINK, [0, 1]) in story.asked()) is (fate is LinkAudit.CLOSELY)


def test_a_mention_that_people_take_out_of_its_chain_may_join_another():
    captions = [("clothing", "a green coat")], [("clothing", "a hat")], [("clothing", "a green coat")]
    boxes = [[0, *LEFT], [1, *RIGHT], [2, *RIGHT]]
    story = checking(*captions, chains=[[0], [1, 2]], boxes=boxes, settings=replace(CHECK, reference_trust=0.8))
    assert not misplaced(story.progress, engine_of(CHECK).source)
    story.judge(LINK, "different", PERSON, [1, 2])
    assert misplaced(story.progress, engine_of(CHECK).source) == {1, 2}
    story.judged((LINK, "different", PERSON, [0, 1]), (LINK, "same", PERSON, [0, 2]))
    assert story.chains() == [[0, 2], [1]]


def _with_audit(seed: int, *captions: list[tuple[str, str]], lot: float = 0.0) -> Story:
    return _in_audit(seed, _audit_settings(lot), [[0, *LEFT], [1, *LEFT]], *(captions or MEN))


@cache
def _audit_settings(lot: float) -> Settings:
    closely = replace(CHECK, audit_rate=0.0, check_audit_rate=lot) if lot else replace(CHECK, audit_rate=0.2)
    return replace(closely, link_stop=0.04)


def test_what_people_say_of_links_in_the_audit_is_weighed_with_the_source_in_the_end():
    drawn = (_with_audit(seed, [("people", "a man")], [("people", "a worker")]) for seed in range(60))
    lot = next(story for story in drawn if link_audit_of(story.progress) is LinkAudit.PEOPLE)
    assert (LINK, [0, 1]) in lot.asked(), "though little is doubtful"
    lot.judge(LINK, "different", PERSON, [0, 1])
    assert (LINK, [0, 1]) in lot.asked(), "one answer against the source is asked once more"
    lot.judge(LINK, "same", PERSON + 1, [0, 1])
    assert lot.chains() == [[0, 1]]


def test_two_chains_with_the_same_boxes_are_asked_about():
    apart: dict[str, Any] = {"chains": [[0], [1]], "settings": replace(CHECK, link_stop=0.4)}
    phrases = [("people", "a man")], [("people", "two girls")]
    assert not checking(*phrases, boxes=[[0, *LEFT], [1, *RIGHT]], **apart).asked()
    assert checking(*phrases, boxes=[[0, *LEFT], [1, *LEFT]], **apart).asked() == [(LINK, [0, 1])]


@row([[0, 0, 40, 40]], 1.0)
@row([[0, 0, 40, 32]], 1.0)  # an IOU of 0.8
@row([[0, 0, 40, 26]], 0.5)  # of 0.65
@row([[0, 0, 40, 20]], None)  # of 0.5
@row([[0, 0, 40, 40], RIGHT], None)
@row([], None)
def test_boxes_of_two_chains_speak_for_one_thing_as_far_as_they_are_alike(others: list[Any], likeness: float | None):
    chains = [((0,), [Box(*LEFT)]), ((1,), [Box(*box) for box in others])]
    expected = {} if likeness is None else {(0, 1): (pytest.approx(likeness), 1.0)}
    progress = good_men().progress
    assert similar_boxes_of(progress, chains) == similar_boxes_of(progress, chains[::-1]) == expected


def test_the_boxes_that_differ_most_tell_how_alike_two_chains_are_and_all_pairs_together_weigh_once():
    progress = checking(*MEN, [("people", "men")], chains=[[0, 1], [2]], boxes=[]).progress
    near = [Box(*LEFT), Box(50, 0, 90, 26)]
    found = similar_boxes_of(progress, [((0, 1), [Box(*LEFT), Box(*RIGHT)]), ((2,), near)])
    assert found == {(0, 2): (pytest.approx(0.5), 0.5), (1, 2): (pytest.approx(0.5), 0.5)}
    told = similar_box_evidence(found, -2.0)
    ratio = pytest.approx((SAME_BOXES_RATIO - 2) / 4)
    assert told == {(0, 2): ratio, (1, 2): ratio}
    assert summed_evidence(told, {(0, 2): 1.0}, {(0, 1): 2.0}) == told | {(0, 2): told[0, 2] + 1, (0, 1): 2.0}


def test_a_split_is_asked_about_however_many_phrases_its_halves_have():
    phrases = [[("people", f"{number} girls")] for number in ("two", "three", "four", "five", "six", "seven")]
    for halves in ([[0], [1]], [[0, 1], [2, 3]], [[0, 1, 2], [3, 4, 5]]):
        boxes = [[number, *LEFT] for half in halves for number in half]
        story = checking(*phrases[: len(boxes)], chains=halves, boxes=boxes, settings=replace(CHECK, link_stop=0.4))
        assert story.asked()[0][0] is LINK, halves


def test_no_link_of_the_source_is_changed_without_an_answer():
    settings = replace(CHECK, link_stop=0.99)
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]], settings=settings)
    assert story.asked() == [(LINK, [0, 1])], "all speaks for one thing, and yet it is asked"
    story.judge(LINK, "same", PERSON, [0, 1])
    assert story.chains() == [[0, 1]]


def test_a_box_that_another_program_has_too_needs_no_person_after_one_alarm():
    other = [[0, 1, 1, 40, 40], [1, 1, 1, 40, 40]]
    alone, agreed = (good_men(replace(JUDGED, box_sure=0.97)) for _ in range(2))
    agreed.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": other, "chains": []})
    for story in (alone, agreed):
        story.judged((JUDGE, "bad", ANNOTATOR), (COVER, "all there", ANNOTATOR))
    assert alone.asked() and not agreed.asked()
    assert shown(agreed) == [LEFT]


def test_in_the_audit_of_a_check_a_person_judges_every_box_of_the_source():
    two = [[0, *LEFT], [1, *LEFT], [0, *RIGHT], [1, *RIGHT]]
    settings = replace(CHECK, audit_rate=0.03, check_audit_rate=0.2, box_sure=0.5)
    drawn = (_in_audit(seed, settings, two, *TWO_MEN) for seed in range(60))
    story = next(one for one in drawn if in_audit(one.chain()))
    worker, judged = PERSON, set()
    while story.asked():
        task, subject = story.asked()[0]
        if task is JUDGE:
            judged.add(subject[1])
        story.judge(task, "good" if task is JUDGE else "all there", worker)
        worker += 1
    assert judged == {0, 1}
    assert shown(story) == [LEFT, RIGHT]
    none = replace(settings, audit_rate=0.0, check_audit_rate=0.0)
    assert not any(_in_audit(seed, none, two, *TWO_MEN).asked() for seed in range(6))


def _in_audit(seed: int, settings: Settings, boxes: list[list[int]], *captions: list[tuple[str, str]]) -> Story:
    story = imported(*captions, settings=settings)
    story.add(EntryKind.PROPOSE, {"worker": SOURCE, "boxes": boxes, "chains": [[0, 1]]})
    story.add(EntryKind.START, context=EntryContext(seed=seed))
    return story


def test_chains_that_the_source_keeps_apart_are_not_merged_for_their_boxes_but_with_one_of_people_if_links_let_them():
    story = checking([("people", "a man")], [("other", "a shape")], chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]])
    of_people = replace(story, record=[*story.record])
    assert can_merge(story.progress) and story.merge().progress.state is ImageState.MERGED
    assert [chain.merged_into for chain in story.progress.chains.values()] == [None, None]
    of_people.progress.program_chains[SOURCE] = [[0]]
    of_people.progress.together = {(0, 1): 0.9}
    assert [chain.merged_into for chain in of_people.merge().progress.chains.values()] == [None, 0]


ON = Settings(pre_annotations=True)
MODEL, OTHER_MODEL = 50, 51
FIRST, SECOND, THIRD = [0, 0, 20, 20], [40, 40, 60, 60], [70, 0, 90, 20]


def propose(story: Story, *boxes: list[int], mention: int = 0, worker: int = MODEL, lent: tuple[int, ...] = ()) -> None:
    rows = [[mention, *box] for box in boxes]
    story.add(EntryKind.PROPOSE, {"worker": worker, "boxes": rows}, EntryContext(on_loan=tuple(lent)))


def pre_annotated(*boxes: list[int], settings: Settings = ON) -> Story:
    """A man, whom nobody has drawn yet, with these pre-annotations from before linking began."""
    story = imported([MAN], settings=settings)
    propose(story, *boxes)
    story.start()
    return story


def judged_now(story: Story) -> list[int]:
    return list(story.progress.boxes[story.question(JUDGE).subject[1]].box)


def test_a_proposed_box_is_judged_instead_of_drawn_and_its_program_judges_neither_it_nor_coverage():
    story = pre_annotated(FIRST)
    assert story.state() is ChainState.QUALITY and story.asked() == [(JUDGE, [0, 0])]
    assert story.progress.boxes[0].pre_annotated and story.reasons("box") == ["pre_annotated"]
    assert story.question(JUDGE).barred == [MODEL]
    story.judge(JUDGE, "good", 1)
    assert story.state() is ChainState.COVERAGE and story.boxes(BoxState.ACCEPTED) == [0]
    assert story.question(COVER).barred == [MODEL]


MORE_NEEDED = [(JUDGE, "good", 1), (COVER, "more needed", 2)]


@case("when more boxes are needed", [FIRST, SECOND], MORE_NEEDED, SECOND)
@case("after a bad one was drawn", [FIRST, SECOND], [(JUDGE, "bad", 1), (DRAW, BOX), (JUDGE, "bad", 1)], SECOND)
@case("unless it shows what an accepted box shows", [FIRST, [0, 0, 20, 19], THIRD], MORE_NEEDED, THIRD)
def test_the_next_pre_annotation_is_taken(boxes: list[list[int]], judgments: list[Any], taken: list[int]):
    assert judged_now(pre_annotated(*boxes).judged(*judgments)) == taken


def test_no_box_is_proposed_twice_and_a_bad_one_is_no_fruitless_drawing():
    story = pre_annotated(FIRST, settings=replace(ON, fruitless_drawings=1)).judged((JUDGE, "bad", 1))
    assert story.state() is ChainState.DRAWING
    story = pre_annotated(FIRST).judged((JUDGE, "bad", 1))
    propose(story, FIRST, worker=OTHER_MODEL)
    assert story.judged((DRAW, BOX, 2), (JUDGE, "bad", 1)).state() is ChainState.DRAWING


def test_a_chain_that_waits_to_be_drawn_takes_a_later_pre_annotation_unless_a_worker_has_begun_to_draw():
    story, begun = started([MAN], settings=ON), started([MAN], settings=ON)
    propose(story, FIRST)
    assert story.asked() == [(JUDGE, [0, 0])] and story.reasons("question") == ["pre_annotated"]
    propose(begun, FIRST, lent=(begun.question(DRAW).number,))
    assert begun.asked() == [(DRAW, [0])]
    assert not begun.judged((DRAW, BOX, 2)).progress.boxes[0].pre_annotated


def test_a_chain_takes_the_pre_annotations_of_all_its_mentions_and_new_ones_of_a_program_replace_the_others():
    story = imported([DOG], [DOG], settings=ON)
    propose(story, FIRST, mention=1)
    story.start()
    story.link((0, 1)).judged((VERIFY, "true"), (ASK, 1))
    assert judged_now(story) == FIRST
    story = pre_annotated(FIRST, SECOND)
    propose(story, THIRD)
    propose(story, FIRST, mention=7)
    propose(story, SECOND, worker=OTHER_MODEL)
    assert [(one.worker, list(one.box)) for one in story.progress.pre_annotations] == [(OTHER_MODEL, SECOND)]


def test_what_an_expert_did_before_a_pre_annotation_acted_on_it_is_not_undone():
    story = started([MAN], settings=ON)
    act = story.expert("retype", mention=0, types=["people", "other"])
    propose(story, FIRST)
    story.undo(act)
    assert story.state() is ChainState.QUALITY
    story = started([DOG], settings=ON)
    act = story.expert("send", chain=0, to="drawing")
    propose(story, FIRST)
    with pytest.raises(Exception, match=r"A program's predictions came since"):
        story.undo(act)


RECORD = ProgramRecord((0.0, 0.0, 0.0, 0.0, 8.0, 0.0), (8.0, 0.0, 0.0, 0.0, 0.0, 0.0))
"""Boxes with scores up to 20 % were bad, those from 80 % on good."""
BY_SCORE = BoxPrior(programs={str(MODEL): RECORD})


def test_a_row_has_a_score_behind_the_box_or_none_and_those_of_phrases_that_are_gone_are_passed_over() -> None:
    story = imported([MAN], settings=ON)
    keep_pre_annotations(story.progress, MODEL, [[0, *FIRST, 85], [0, *SECOND], [9, *SECOND], [0, *THIRD, 0]])
    kept = [(list(one.box), one.score) for one in story.progress.pre_annotations]
    assert kept == [(FIRST, 85), (SECOND, None), (THIRD, 0)]
    story.start()
    assert (story.progress.boxes[0].pre_annotated, story.progress.boxes[0].score) == (True, 85)


def test_a_box_is_trusted_as_boxes_of_about_its_score_were_good_and_of_equal_ones_the_first_comes_first() -> None:
    trust = [trust_in(MODEL, score, BY_SCORE) for score in (10, 50, 90)]
    assert trust == [pytest.approx(2 / 12), 0.5, pytest.approx(10 / 12)]
    assert trust_in(MODEL, 19, BY_SCORE) == trust[0] and trust_in(MODEL, 80, BY_SCORE) == trust[2]
    assert trust_in(MODEL, None, BY_SCORE) == trust_in(OTHER_MODEL, 90, BY_SCORE) == 0.5
    story, chain = imported([MAN], settings=ON), started([MAN]).chain()
    keep_pre_annotations(story.progress, MODEL, [[0, *FIRST, 10], [0, *SECOND, 50], [0, *THIRD, 90]])
    taken = [most_trusted(story.progress, chain, prior) for prior in (BY_SCORE, BoxPrior())]
    assert [one and list(one.box) for one in taken] == [THIRD, FIRST]


def test_different_boxes_count_for_the_chain_of_their_mention_unless_their_program_has_none_in_the_image():
    story = imported([MAN, DOG], settings=ON)
    propose(story, FIRST, SECOND, [1, 0, 20, 20])
    propose(story, THIRD, mention=1, worker=OTHER_MODEL)
    man, dog = (predicted_numbers(story.progress, chain) for chain in story.start().progress.chains.values())
    assert (man, dog) == ({"50": 2, "51": 0}, {"50": 0, "51": 1})
    story = started([MAN], settings=ON)
    assert predicted_numbers(story.progress, story.chain()) == {}
