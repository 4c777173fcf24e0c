"""Progress to JSON and back, when everything in it is set."""

import json
import re
from dataclasses import fields
from functools import cache
from typing import Any

import pytest

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.progress.heard_answer import HeardAnswer
from pipeline.rules.progress.progress import BoxProgress, Cause, ChainProgress, ImageProgress, Proposal, Vote
from pipeline.rules.progress.progress_json import ProgressError, from_json, to_json
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, DOG, MAN, PARK, Story, started


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
    story.add(EntryKind.PROPOSE, {"worker": 9, "boxes": [[0, 1, 2, 30, 40]], "chains": [[0, 3]], "lent": []})
    asked = {
        "task": "caption_check",
        "item": "1:foil",
        "shown": {"caption": "a dog rides"},
        "truth": {"verdict": "wrong"},
    }
    story.add(EntryKind.ASK, asked)
    story.void(story.judge(Task.CAPTION_CHECK, {"verdict": "correct"}, worker=6))
    story.judge(Task.CAPTION_CHECK, {"verdict": "wrong", "word": 1}, worker=7)
    return story


def test_it_comes_back_the_same():
    progress = busy_image().progress
    back = from_json(json.loads(json.dumps(to_json(progress))))
    back.moves = progress.moves
    assert back == progress


def test_everything_but_the_moves_is_kept():
    kept = set(to_json(busy_image().progress))
    assert kept == {field.name for field in fields(ImageProgress)} - {
        "moves",
        "together",
        "lot",
        "juror_votes",
        "link_lot",
    }


def test_a_merged_image_comes_back_the_same():
    story = started([MAN], [("people", "a guy")]).link()
    story.complete(0).complete(1).add(EntryKind.MERGE)
    back = from_json(to_json(story.progress))
    assert (back.merged, back.chains) == (story.progress.merged, story.progress.chains)


def test_every_field_of_a_chain_is_kept():
    chain = ChainProgress(
        0, [0], representative=0, non_visual="a", doubted="b", review=Cause.STARVED, fruitless=3, merged_into=7
    )
    chain.requirement, chain.coverage, chain.coverage_barred = [Vote(1, 2, 3)], [Vote(4, 5, "all there")], [6]
    chain.confidence = 0.875
    assert from_json(to_json(ImageProgress(chains={0: chain}))).chains[0] == chain


def test_a_box_that_was_proposed_comes_back_as_one():
    box = BoxProgress(0, 0, Box(1, 2, 3, 4), BoxState.PENDING, 9, 5, proposed=True)
    assert from_json(to_json(ImageProgress(boxes={0: box}))).boxes[0] == box


def test_scores_of_proposals_and_of_boxes_come_back_and_are_left_out_where_there_are_none():
    box = Box(1, 2, 3, 4)
    boxes = {n: BoxProgress(n, 0, box, BoxState.PENDING, 9, 5, proposed=True) for n in range(3)}
    boxes[1].score, boxes[2].score, boxes[2].confidence = 0, 85, 0.5
    progress = ImageProgress(boxes=boxes, proposals=[Proposal(0, 9, box), Proposal(0, 9, box, 0)])
    kept = to_json(progress)
    assert [len(row) for row in kept["proposals"]] == [3, 4]
    assert [len(row) for row in kept["boxes"]] == [8, 10, 10]
    assert from_json(json.loads(json.dumps(kept))) == progress


def test_without_proposals_the_json_is_as_before_there_were_any():
    story = started([MAN])
    story.judge(Task.BOX_DRAWING, BOX, worker=3)
    kept = to_json(story.progress)
    assert "proposals" not in kept and "program_chains" not in kept
    assert len(kept["boxes"][0]) == 7


def test_a_chain_that_was_kept_before_there_were_confidences_still_loads():
    (row,) = to_json(ImageProgress(chains={0: ChainProgress(0, [0])}))["chains"]
    assert len(row) == 14, "as it was written then, so that a replay of it finds no difference"
    assert from_json(to_json(ImageProgress(chains={0: ChainProgress(0, [0])}))).chains[0].confidence is None


def test_the_chances_of_links_are_kept_and_an_image_without_any_reads_as_before():
    progress = ImageProgress(together={(0, 2): 0.9375})
    assert from_json(json.loads(json.dumps(to_json(progress)))) == progress
    assert "together" not in to_json(ImageProgress())


def test_a_chain_and_a_box_of_the_belief_policy_come_back_the_same():
    chain = ChainProgress(0, [0], confidence=0.5, box_confidence=0.75)
    chain.heard = [
        HeardAnswer(3, 4, Task.BOX_DRAWING, 0, []),
        HeardAnswer(5, 6, Task.BOX_QUALITY, "good", [0], 0.25),
        HeardAnswer(7, 8, Task.BOX_DRAWING, 1, [0], trust=0.5),
        HeardAnswer(9, None, Task.BOX_COVERAGE, None, [0, 1]),
    ]
    finished = ChainProgress(1, [1], box_confidence=0.9)
    box = BoxProgress(0, 0, Box(1, 2, 3, 4), BoxState.ACCEPTED, 9, 5, 5, confidence=0.875)
    progress = ImageProgress(chains={0: chain, 1: finished}, boxes={0: box})
    assert from_json(json.loads(json.dumps(to_json(progress)))) == progress


def test_a_chain_that_was_kept_before_there_was_belief_still_loads_and_is_written_as_it_was():
    kept = to_json(ImageProgress(chains={0: ChainProgress(0, [0], confidence=0.5)}))
    assert len(kept["chains"][0]) == 15
    chain = from_json(kept).chains[0]
    assert (chain.heard, chain.box_confidence) == ([], None)
    assert to_json(from_json(kept)) == kept


def test_where_nothing_was_voided_it_reads_as_before_anything_could_be():
    assert "voided" not in to_json(ImageProgress())


def test_equal_progress_gives_equal_json_whatever_order_its_chains_were_made_in():
    one, other = ChainProgress(0, [0]), ChainProgress(1, [1])
    assert to_json(ImageProgress(chains={0: one, 1: other})) == to_json(ImageProgress(chains={1: other, 0: one}))


def refusal(data: dict[str, Any]) -> str:
    """Return why the JSON is refused, or nothing if it is not."""
    try:
        from_json(data)
    except ProgressError as error:
        return str(error)
    return ""


def test_json_of_another_shape_is_refused_by_the_name_of_what_is_wrong():
    right = to_json(busy_image().progress)
    for name, wrong in {
        "state": "finished",
        "asked": None,
        "mentions": [[0, 0, 0, 2, ["people"]]],
        "votes": [[0, 1, [[2, 5]]]],
        "sources": [[0, 1, "guessed"]],
        "flagged": [[0, "no cause of ours"]],
    }.items():
        assert re.search(rf"not the progress of an image(.|\n)*{name}", refusal({**right, name: wrong})), name


def test_json_that_lacks_a_part_is_refused():
    with pytest.raises(ProgressError, match="sequence"):
        from_json({})


def test_the_words_before_a_mention_come_back_and_older_rows_have_none():
    progress = started([MAN, DOG]).progress
    old = to_json(progress)
    assert [len(row) for row in old["mentions"]] == [6, 6]
    progress.mentions[1].before = "man with"
    new = json.loads(json.dumps(to_json(progress)))
    assert [row[6:] for row in new["mentions"]] == [[], ["man with"]]
    assert from_json(new).mentions[1].for_links().before == ("man", "with")
    assert to_json(from_json(old)) == old


def test_the_vector_of_a_mention_comes_back_and_others_have_none():
    progress = started([MAN, DOG]).progress
    progress.mentions[0].vector = "7e"
    new = json.loads(json.dumps(to_json(progress)))
    assert [row[6:] for row in new["mentions"]] == [["", "7e"], []]
    assert [mention.vector for mention in from_json(new).mentions.values()] == ["7e", ""]
    progress.mentions[1].form = "as it reads"
    again = from_json(json.loads(json.dumps(to_json(progress))))
    assert [(mention.vector, mention.compared) for mention in again.mentions.values()] == [
        *(("7e", progress.mentions[0].text), ("", "as it reads"))
    ]
