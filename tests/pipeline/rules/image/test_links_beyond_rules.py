"""Images of projects that go beyond the two rules of links."""

from dataclasses import replace

from annotation.rules.states import ChainState
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.image.merging import link_sources
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, started

L = Task.COREFERENCE_LINK
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.05, reask_share=0.0)
BEYOND = replace(ADAPTIVE, beyond_rules=True)
TABLE, AGAIN = ("other", "a table"), ("other", "the table")


def answered(story: Story, answer: str) -> Story:
    """Give this answer, each by another worker, until no link is open."""
    worker = 1
    while links := [one for one in story.progress.open.values() if one.task is L]:
        story.judge(L, answer, worker=worker, subject=links[0].subject)
        worker += 1
    return story


def test_two_phrases_of_one_caption_are_asked_about_and_can_become_one_chain() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    assert story.asked() == [(L, [0, 1])]
    answered(story, "same")
    assert story.chains() == [[0, 1]]
    assert 0.5 < (story.chain().confidence or 0) < 1


def test_without_the_setting_they_are_never_asked_about() -> None:
    story = started([TABLE, AGAIN], settings=ADAPTIVE)
    assert L not in {task for task, _ in story.asked()}
    assert story.chains() == [[0], [1]]


def test_boxes_wait_until_it_is_known_which_chains_are_one() -> None:
    story = started([TABLE, AGAIN, ("people", "a man")], settings=BEYOND)
    assert {task for task, _ in story.asked()} == {L}
    answered(story, "different")
    assert story.state(2) is not ChainState.LINKING and story.asked()


def test_the_source_of_a_link_says_whether_it_was_asked() -> None:
    park = ("scene", "a park")
    story = answered(started([TABLE, AGAIN, park], settings=BEYOND), "different")
    sources = link_sources(story.progress)
    assert sources[0, 1] in (LinkSource.ASKED_NO, LinkSource.REASKED)
    assert sources[0, 2] is LinkSource.CAPTION


def test_an_expert_can_join_two_phrases_of_one_caption_while_they_are_linked() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    story.expert("link", first=0, second=1, same=True)
    assert story.chains() == [[0, 1]]
    assert story.progress.sources[0, 1] is LinkSource.EXPERT


def test_a_replay_comes_to_the_same_chains() -> None:
    story = answered(started([TABLE, AGAIN], [("scene", "table outside")], settings=BEYOND), "same")
    assert to_json(fold_record(story.record)) == to_json(story.progress)


def test_images_that_are_being_linked_follow_when_the_setting_is_switched() -> None:
    story = started([TABLE, AGAIN], [("other", "a table"), ("other", "a board")], settings=ADAPTIVE)
    story.settings = BEYOND
    assert answered(story, "same").chains() == [[0, 1, 2, 3]]


def test_a_link_that_nobody_can_answer_any_more_after_its_only_answer_was_voided_goes_to_review() -> None:
    story = started([TABLE, AGAIN], settings=BEYOND)
    story.void(story.judge(L, "same"))
    story.add(EntryKind.STARVE, {"question": story.question(L).number})
    assert story.chains() == [[0], [1]]
    assert [story.chain(name).review for name in (0, 1)] == ["starved", "starved"]


def test_strategies_of_the_paper_keep_the_rules() -> None:
    story = started([TABLE, AGAIN], settings=replace(BEYOND, strategy=Strategy.GREEDY_PLUS))
    assert L not in {task for task, _ in story.asked()}
