"""Checking a data set: what stays as it is, what is asked, and what nobody changes alone."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

from annotation.rules.states import BoxState, ChainState, ImageState, NonVisual
from pipeline.rules.entries.image_machine import EntryKind, begin
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.image.checked import misplaced, stands
from pipeline.rules.image.juror_links import draw_link_lot
from pipeline.rules.image.merging import can_merge
from pipeline.rules.jurors.lot import LinkLot
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, imported, started

SOURCE, OTHER, JUROR, PERSON = 50, 51, 60, 1
KNOWN = {"missing": [95.0, 5.0], "there": [95.0, 5.0], "good": [95.0, 5.0], "bad": {"person": [95.0, 5.0]}}
CHECK = ProtocolSettings(
    strategy=Strategy.ADAPTIVE,
    box_policy=BoxPolicy.BELIEF,
    proposals=True,
    checked=SOURCE,
    juror_lot=0.0,
    box_sure=0.7,
    reask_share=0.0,
)
JUDGED = replace(CHECK, jurors=(JUROR,), box_prior={"jurors": {str(JUROR): KNOWN}})
MEN = [("people", "a man")], [("people", "the man")]
TWO_MEN = [("people", "two men")], [("people", "the men")]
LEFT, RIGHT = [0, 0, 40, 40], [50, 0, 90, 40]


def checking(
    *captions: list[tuple[str, str]],
    chains: list[list[int]],
    boxes: list[list[int]],
    flags: dict[str, str] | None = None,
    settings: ProtocolSettings = CHECK,
    beside: list[list[int]] | None = None,
) -> Story:
    """Begin to check an image of which the source says this, and another program `beside` it."""
    first = started(*captions).record[0][0]
    story = Story(begin(first), settings, [(first, settings)])
    data: dict[str, Any] = {"worker": SOURCE, "boxes": boxes, "chains": chains, "flags": flags or {}, "lent": []}
    story.add(EntryKind.PROPOSE, data)
    if beside:
        story.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": beside, "lent": []})
    story.add(EntryKind.START, {"lot": 0})
    return story


def good_men(settings: ProtocolSettings = CHECK, boxes: list[list[int]] | None = None) -> Story:
    own = [[0, *LEFT], [1, *LEFT]] if boxes is None else boxes
    return checking(*MEN, chains=[[0, 1]], boxes=own, settings=settings)


def shown(story: Story) -> list[list[int]]:
    return [list(box.box) for box in story.progress.boxes.values() if box.state is BoxState.ACCEPTED]


def test_a_label_that_looks_fine_stays_without_an_answer():
    story = good_men()
    assert (story.asked(), story.chains(), shown(story)) == ([], [[0, 1]], [LEFT])
    assert story.state() is ChainState.COMPLETE
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def test_a_label_stands_while_it_has_the_boxes_of_the_source():
    story = good_men()
    kept = [box.number for box in story.progress.accepted(0)]
    assert stands(story.progress, story.chain(), CHECK.source(), kept)
    assert not stands(story.progress, story.chain(), CHECK.source(), [])
    assert not stands(story.progress, story.chain(), replace(CHECK, checked=0).source(), kept)


def test_without_a_source_to_check_the_same_boxes_are_asked_about():
    story = good_men(replace(CHECK, checked=0))
    assert story.asked()


def test_a_chain_that_breaks_the_rules_of_links_stays_as_the_source_has_it():
    table = [("other", "a table"), ("people", "a man"), ("scene", "the table")]
    story = checking(table, chains=[[0, 2], [1]], boxes=[[0, *LEFT], [2, *LEFT], [1, *RIGHT]])
    assert story.chains() == [[0, 2], [1]]
    assert not [task for task, _ in story.asked() if task is Task.COREFERENCE_LINK]


def test_nobody_is_asked_about_two_phrases_of_one_caption():
    twins = [("people", "a man"), ("people", "a man")], [("people", "two strangers")]
    story = checking(*twins, chains=[[0, 1], [2]], boxes=[], settings=replace(CHECK, link_stop=0.01))
    captions = {0: 0, 1: 0, 2: 1}
    while links := [subject for task, subject in story.asked() if task is Task.COREFERENCE_LINK]:
        assert captions[links[0][0]] != captions[links[0][1]]
        story.judge(Task.COREFERENCE_LINK, "different", len(story.record), links[0])


def test_several_boxes_are_shown_together_from_the_start():
    pair = [("people", "two men")], [("people", "two men")]
    boxes = [[number, *box] for number in (0, 1) for box in (LEFT, RIGHT)]
    story = checking(*pair, chains=[[0, 1]], boxes=boxes)
    assert sorted(shown(story)) == [LEFT, RIGHT]


def test_a_chain_without_a_box_keeps_the_reason_that_the_source_gives():
    for flag in NonVisual:
        story = checking([("other", "the fun")], [("other", "fun")], chains=[[0, 1]], boxes=[], flags={"0": flag.value})
        assert story.state() is ChainState.NON_VISUAL
        assert story.chain().non_visual == flag.value


def test_no_program_alone_drops_a_box_of_the_source():
    story = good_men(JUDGED)
    story.judge(Task.BOX_QUALITY, "bad", JUROR)
    while any(task in (Task.BOX_COVERAGE, Task.BOX_REQUIREMENT) for task, _ in story.asked()):
        task = story.asked()[0][0]
        story.judge(task, "more needed" if task is Task.BOX_COVERAGE else 1, JUROR)
    assert story.asked() == [(Task.BOX_QUALITY, [0, 0])]
    story.judge(Task.BOX_QUALITY, "bad", PERSON)
    assert not shown(story), "a person has seen it, too"


def test_people_answer_about_what_the_lot_draws():
    story = good_men(replace(CHECK, juror_lot=0.2))
    drawn = [seed for seed in range(16) if _with_lot(seed).asked()]
    assert 1 <= len(drawn) <= 10
    assert story.progress.link_lot is not None


def test_more_is_asked_about_links_of_the_images_that_tell_how_many_are_wrong():
    phrases = [("people", "a man")], [("people", "a worker")]
    image, seeds = imported(*phrases).progress, defaultdict(list)
    for seed in range(80):
        drawn = replace(image, lot=seed)
        draw_link_lot(drawn, _lot_settings(0.2))
        seeds[drawn.link_lot].append(seed)
    assert 8 <= len(seeds[LinkLot.CLOSELY]) <= 24
    for fate in (LinkLot.CLOSELY, LinkLot.BOTH):
        for seed in seeds[fate][:8]:
            story = _with_lot(seed, *phrases, lot=0.2)
            assert story.progress.link_lot is fate
            assert ((Task.COREFERENCE_LINK, [0, 1]) in story.asked()) is (fate is LinkLot.CLOSELY)


def test_a_mention_that_people_take_out_of_its_chain_may_join_another():
    captions = [("clothing", "a green coat")], [("clothing", "a hat")], [("clothing", "a green coat")]
    boxes = [[0, *LEFT], [1, *RIGHT], [2, *RIGHT]]
    story = checking(*captions, chains=[[0], [1, 2]], boxes=boxes, settings=replace(CHECK, checked_trust=0.8))
    assert not misplaced(story.progress, CHECK.source())
    story.judge(Task.COREFERENCE_LINK, "different", PERSON, [1, 2])
    assert misplaced(story.progress, CHECK.source()) == {1, 2}
    story.judge(Task.COREFERENCE_LINK, "different", PERSON, [0, 1])
    story.judge(Task.COREFERENCE_LINK, "same", PERSON, [0, 2])
    assert story.chains() == [[0, 2], [1]]


def _with_lot(seed: int, *captions: list[tuple[str, str]], lot: float = 0.0) -> Story:
    return _in_lot(seed, _lot_settings(lot), [[0, *LEFT], [1, *LEFT]], *(captions or MEN))


@cache
def _lot_settings(lot: float) -> ProtocolSettings:
    closely = replace(CHECK, juror_lot=0.0, checked_lot=lot) if lot else replace(CHECK, juror_lot=0.2)
    return replace(closely, link_stop=0.04)


def test_what_people_say_of_links_in_the_lot_is_weighed_with_the_source_in_the_end():
    drawn = (_with_lot(seed, [("people", "a man")], [("people", "a worker")]) for seed in range(60))
    lot = next(story for story in drawn if story.progress.link_lot is LinkLot.PEOPLE)
    assert (Task.COREFERENCE_LINK, [0, 1]) in lot.asked(), "though little is doubtful"
    lot.judge(Task.COREFERENCE_LINK, "different", PERSON, [0, 1])
    assert (Task.COREFERENCE_LINK, [0, 1]) in lot.asked(), "one answer against the source is asked once more"
    lot.judge(Task.COREFERENCE_LINK, "same", PERSON + 1, [0, 1])
    assert lot.chains() == [[0, 1]]


def test_two_chains_with_the_same_boxes_are_asked_about():
    apart: dict[str, Any] = {"chains": [[0], [1]], "settings": replace(CHECK, link_stop=0.4)}
    phrases = [("people", "a man")], [("people", "two girls")]
    assert not checking(*phrases, boxes=[[0, *LEFT], [1, *RIGHT]], **apart).asked()
    assert checking(*phrases, boxes=[[0, *LEFT], [1, *LEFT]], **apart).asked() == [(Task.COREFERENCE_LINK, [0, 1])]


def test_no_link_of_the_source_is_changed_without_an_answer():
    settings = replace(CHECK, link_stop=0.99)
    story = checking(*MEN, chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]], settings=settings)
    assert story.asked() == [(Task.COREFERENCE_LINK, [0, 1])], "all speaks for one thing, and yet it is asked"
    story.judge(Task.COREFERENCE_LINK, "same", PERSON, [0, 1])
    assert story.chains() == [[0, 1]]


def test_an_alarm_of_a_juror_leaves_less_doubt():
    story = good_men(replace(JUDGED, box_sure=0.93))
    story.judge(Task.BOX_QUALITY, "bad", JUROR)
    story.judge(Task.BOX_COVERAGE, "all there", JUROR)
    assert story.asked(), "94 % sure that the label is right"


def test_a_box_that_another_program_has_too_needs_no_person_after_one_alarm():
    other = [[0, 1, 1, 40, 40], [1, 1, 1, 40, 40]]
    alone, agreed = (good_men(replace(JUDGED, box_sure=0.97)) for _ in range(2))
    agreed.add(EntryKind.PROPOSE, {"worker": OTHER, "boxes": other, "chains": [], "lent": []})
    for story in (alone, agreed):
        story.judge(Task.BOX_QUALITY, "bad", JUROR)
        story.judge(Task.BOX_COVERAGE, "all there", JUROR)
    assert alone.asked() and not agreed.asked()
    assert shown(agreed) == [LEFT]


def test_in_the_lot_of_a_check_a_person_judges_every_box_of_the_source():
    two = [[0, *LEFT], [1, *LEFT], [0, *RIGHT], [1, *RIGHT]]
    settings = replace(CHECK, juror_lot=0.03, checked_lot=0.2, box_sure=0.5)
    story = next(one for seed in range(60) if (one := _in_lot(seed, settings, two, *TWO_MEN)).chain().in_lot)
    worker, judged = PERSON, set()
    while story.asked():
        task, subject = story.asked()[0]
        if task is Task.BOX_QUALITY:
            judged.add(subject[1])
        story.judge(task, "good" if task is Task.BOX_QUALITY else "all there", worker)
        worker += 1
    assert judged == {0, 1}
    assert shown(story) == [LEFT, RIGHT]
    none = (_in_lot(seed, replace(settings, juror_lot=0.0, checked_lot=0.0), two, *TWO_MEN) for seed in range(6))
    assert not any(one.asked() for one in none)


def _in_lot(seed: int, settings: ProtocolSettings, boxes: list[list[int]], *captions: list[tuple[str, str]]) -> Story:
    story = imported(*captions, settings=settings)
    story.add(EntryKind.PROPOSE, {"worker": SOURCE, "boxes": boxes, "chains": [[0, 1]], "lent": []})
    story.add(EntryKind.START, {"lot": seed})
    return story


def test_two_chains_that_the_source_keeps_apart_are_not_merged_for_their_boxes():
    story = checking([("people", "a man")], [("other", "a shape")], chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]])
    assert can_merge(story.progress)
    story.add(EntryKind.MERGE)
    assert story.progress.state is ImageState.MERGED
    assert [chain.merged_into for chain in story.progress.chains.values()] == [None, None]


def test_a_chain_of_the_source_and_one_of_people_are_merged_for_their_boxes_if_links_let_them():
    story = checking([("people", "a man")], [("other", "a shape")], chains=[[0], [1]], boxes=[[0, *LEFT], [1, *LEFT]])
    story.progress.program_chains[SOURCE] = [[0]]
    story.progress.together = {(0, 1): 0.9}
    story.add(EntryKind.MERGE)
    assert [chain.merged_into for chain in story.progress.chains.values()] == [None, 0]
