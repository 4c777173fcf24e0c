"""Mentions of several sentences and pronouns in the progress of an image."""

from dataclasses import replace

from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, begin
from pipeline.rules.image.chain_steps import representative
from pipeline.rules.image.merging import link_sources
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import ChainProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import Story, started

KITE_AND_TOY = [[0, 0, 0, 2, ["other"], "a kite"], [1, 0, 4, 6, ["other"], "the toy", "", "", "", 1]]
BEYOND = ProtocolSettings(strategy=Strategy.ADAPTIVE, beyond_rules=True)


def story_of(settings: ProtocolSettings) -> Story:
    entry = RecordEntry(0, EntryKind.IMPORT, {"mentions": KITE_AND_TOY})
    story = Story(begin(entry), settings, [(entry, settings)])
    story.add(EntryKind.START)
    return story


def test_two_sentences_of_a_caption_may_name_one_thing_beyond_the_rules_alone():
    assert story_of(BEYOND).asked() == [(Task.COREFERENCE_LINK, [0, 1])]
    by_rules = story_of(replace(BEYOND, beyond_rules=False))
    assert by_rules.chains() == [[0], [1]]
    assert link_sources(by_rules.progress)[0, 1] is LinkSource.CAPTION


def test_the_rules_are_law_again_from_the_next_act_on():
    story = story_of(BEYOND)
    story.settings = replace(BEYOND, beyond_rules=False)
    story.judge(Task.COREFERENCE_LINK, "same")
    assert story.chains() == [[0], [1]]
    assert link_sources(story.progress)[0, 1] is LinkSource.OVERRULED


def test_a_chain_is_shown_and_typed_by_its_nouns_if_it_has_any():
    progress = started([("animals", "a dog"), ("pronoun", "themselves"), ("pronoun", "she")]).progress
    dog, several = ChainProgress(0, [0, 1]), ChainProgress(2, [2])
    assert (representative(progress, dog), progress.types_of(dog)) == (0, {"animals"})
    assert progress.types_of(several) == {"people"}
