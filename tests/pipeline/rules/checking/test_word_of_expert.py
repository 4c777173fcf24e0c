"""Experts on changes: they confirm them, make them, or take them back."""

from pipeline.rules.checking.changed_labels import compared
from pipeline.rules.checking.label import labels_now, labels_of_source
from pipeline.rules.checking.word_of_expert import Decided, Decision, ExpertAct, decided, rows_of, taken_back
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.undo import skipped_entries
from tests.pipeline.rules.image.test_checked import LEFT, RIGHT, good_men
from tests.support.images import Story

SOURCE = labels_of_source([[0, *LEFT], [1, *LEFT]], [[0, 1]], {}, [0, 1])


def moved() -> Story:
    story = good_men()
    story.expert("move box", box=0, to=RIGHT)
    story.expert("send", chain=0, to="complete")
    return story


def said(story: Story, *, by_answers: bool = False) -> Decided:
    """Return what experts have said of the only change. `by_answers`: as if its first acts had been answers."""
    entries = [entry for entry, _ in story.record]
    skipped = skipped_entries(entries)
    every = [one for one in entries if one.kind is EntryKind.EXPERT and one.sequence not in skipped]
    acts = [ExpertAct(one.sequence, "ada", one.data) for one in every[2 if by_answers else 0 :]]
    back = taken_back(labels_now(story.progress), acts)
    found = compared(SOURCE, story.progress, {}).changes
    back += [decided(change, story.progress, acts) for change in found]
    assert len(back) == 1
    return back[0]


def test_a_change_stands_by_answers_until_an_expert_confirms_it_and_again_after_undo():
    story = moved()
    assert said(story, by_answers=True).decision is Decision.BY_ANSWERS
    entry = story.expert("confirm", labels=rows_of(labels_now(story.progress)))
    confirmed = said(story, by_answers=True)
    assert (confirmed.decision, [act.entry for act in confirmed.acts]) == (Decision.CONFIRMED, [entry])
    story.undo(entry)
    assert said(story, by_answers=True).decision is Decision.BY_ANSWERS


def test_a_confirmation_of_other_labels_says_nothing():
    story = moved()
    story.expert("confirm", labels=rows_of(SOURCE))
    assert said(story, by_answers=True).decision is Decision.BY_ANSWERS


def test_a_change_that_an_expert_made_is_confirmed():
    made = said(moved())
    assert (made.decision, [act.data["action"] for act in made.acts]) == (Decision.CONFIRMED, ["move box", "send"])


def test_a_change_that_was_taken_back_is_told_as_long_as_that_holds():
    story = moved()
    was = labels_now(story.progress)
    entry = story.expert("take back", labels=rows_of(SOURCE), was=rows_of(was))
    back = said(story)
    assert (back.decision, back.change.before, back.change.after) == (Decision.TAKEN_BACK, tuple(SOURCE), tuple(was))
    story.undo(entry)
    assert said(story, by_answers=True).decision is Decision.BY_ANSWERS
