"""The truth of a closed question: sure only where its chain came to rest as the answers said."""

from typing import Any

import pytest

from pipeline.rules.known.known_answer import fits_task
from pipeline.rules.known.known_from_finished import NotSureError, settled_truth
from pipeline.rules.progress.question_view import question_view
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, Story, started

LEFT, RIGHT, NEAR_LEFT = [10, 10, 50, 50], [100, 10, 140, 50], [12, 12, 52, 52]
DRAW, JUDGE, COVER, NEED = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE, Task.BOX_REQUIREMENT


class Asked:
    """Keeps what each question showed while it was open, as its row does."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.shown: dict[str, Any] = {}

    def keep(self, name: str, task: Task, subject: list[int] | None = None) -> None:
        self.shown[name] = question_view(self.story.progress, self.story.question(task, subject))

    def truth(self, name: str, task: Task, outcome: str = "") -> Any:
        found = settled_truth(self.story.progress, task, self.shown[name], outcome)
        assert fits_task(task, found)
        return found

    def draw(self, name: str, box: list[int], verdict: str = "good") -> None:
        """A box is asked for, drawn and judged; both questions are kept."""
        self.keep(f"draw {name}", DRAW)
        self.story.judge(DRAW, {"box": box}, 1)
        self.keep(f"judge {name}", JUDGE)
        self.story.judge(JUDGE, verdict, 2)


def two_boxes() -> Asked:
    """A man, drawn twice, with everything that was asked."""
    asked = Asked(started([MAN]))
    asked.draw("left", LEFT)
    asked.keep("one there", COVER)
    asked.story.judge(COVER, "more needed", 3)
    asked.draw("right", RIGHT)
    asked.keep("all there", COVER)
    return asked


def finish(asked: Asked) -> Asked:
    for worker in (4, 5):
        asked.story.judge(COVER, "all there", worker)
    return asked


def test_a_complete_chain_tells_what_was_missing_and_what_was_good() -> None:
    asked = finish(two_boxes())
    assert asked.truth("draw left", DRAW) == [LEFT, RIGHT]
    assert asked.truth("draw right", DRAW) == [RIGHT]
    assert asked.truth("judge left", JUDGE) == asked.truth("judge right", JUDGE) == "good"
    assert (asked.truth("one there", COVER), asked.truth("all there", COVER)) == ("more needed", "all there")


def test_nothing_is_sure_before_the_chain_is_at_rest() -> None:
    asked = two_boxes()
    with pytest.raises(NotSureError, match="coverage"):
        asked.truth("draw left", DRAW)


def test_a_refused_box_is_bad_unless_it_is_much_like_one_that_was_accepted() -> None:
    asked = Asked(started([MAN]))
    asked.draw("far", [100, 60, 120, 80], "bad")
    asked.draw("near", NEAR_LEFT, "bad")
    asked.draw("left", LEFT)
    asked.keep("all", COVER)
    finish(asked)
    assert asked.truth("judge far", JUDGE) == "bad"
    with pytest.raises(NotSureError, match="much like"):
        asked.truth("judge near", JUDGE)


def test_a_second_box_around_the_same_is_bad() -> None:
    asked = two_boxes()
    asked.story.judge(COVER, "more needed", 6)
    asked.draw("again", NEAR_LEFT, "bad")
    asked.story.judge(DRAW, {"none_missing": True}, 7)
    for worker in (8, 9):
        asked.story.judge(COVER, "all there", worker)
    assert asked.truth("judge again", JUDGE) == "bad"


def test_a_box_that_was_removed_makes_its_questions_unsure() -> None:
    asked = finish(two_boxes())
    asked.story.expert("delete box", box=0)
    asked.story.expert("send", chain=0, to="complete")
    with pytest.raises(NotSureError, match="removed since"):
        asked.truth("draw right", DRAW)
    assert asked.truth("draw left", DRAW) == [RIGHT]


@pytest.mark.parametrize(("votes", "truth"), [((3, 3), 3), ((2, 2), 2)])
def test_a_chain_without_boxes_tells_why(votes: tuple[int, int], truth: int) -> None:
    asked = Asked(started([DOG]))
    asked.keep("need", NEED)
    asked.story.no_box(answers=votes)
    assert asked.truth("need", NEED) == truth


def test_a_chain_with_boxes_needed_one() -> None:
    asked = Asked(started([DOG]))
    asked.keep("need", NEED)
    asked.story.judge(NEED, 1)
    asked.story.complete()
    assert asked.truth("need", NEED) == 1


def linked(*same: tuple[int, int]) -> Asked:
    asked = Asked(started([MAN], [MAN]))
    asked.keep("link", Task.COREFERENCE_LINK)
    asked.story.link(*same)
    return asked


def test_phrases_that_ended_in_one_chain_are_the_same() -> None:
    asked = linked((0, 1))
    asked.keep("chain", Task.CHAIN_VERIFICATION)
    asked.story.judge(Task.CHAIN_VERIFICATION, "true")
    asked.story.complete()
    assert asked.truth("link", Task.COREFERENCE_LINK, "same") == "same"
    assert asked.truth("chain", Task.CHAIN_VERIFICATION, "true") == "true"
    with pytest.raises(NotSureError, match="closed as “different”"):
        asked.truth("link", Task.COREFERENCE_LINK, "different")


def test_phrases_that_ended_in_two_chains_are_different_until_their_boxes_merge() -> None:
    asked = linked()
    asked.story.complete(0)
    asked.story.complete(1, {"box": RIGHT})
    assert asked.truth("link", Task.COREFERENCE_LINK, "different") == "different"
    asked.story.progress.chains[1].merged_into = 0
    with pytest.raises(NotSureError, match="it would be “same”"):
        asked.truth("link", Task.COREFERENCE_LINK, "different")


def test_a_doubted_chain_is_not_sure() -> None:
    asked = linked((0, 1))
    asked.keep("chain", Task.CHAIN_VERIFICATION)
    asked.story.judge(Task.CHAIN_VERIFICATION, "false")  # the same head noun: it stays whole
    asked.story.complete()
    with pytest.raises(NotSureError, match="doubted"):
        asked.truth("chain", Task.CHAIN_VERIFICATION, "false")


def test_a_phrase_that_was_changed_since_is_no_question() -> None:
    asked = finish(two_boxes())
    asked.story.expert("rechunk", remove=[0], add=[[1, 0, 0, 1, ["people"], "a"]])
    with pytest.raises(NotSureError, match="phrase"):
        asked.truth("draw left", DRAW)
