"""The effect of other settings on one image; record/test_changed_settings.py compares it with what happens."""

from dataclasses import replace

from pipeline.rules.entries.image_machine import EntryKind, RecordEntry, apply, begin
from pipeline.rules.image.settings_effect import SettingsEffect, settings_effect
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings

EXHAUSTIVE = ProtocolSettings(strategy=Strategy.EXHAUSTIVE)
GREEDY = ProtocolSettings(strategy=Strategy.GREEDY)


def started(settings: ProtocolSettings = EXHAUSTIVE) -> ImageProgress:
    """Three phrases of three captions: three links under the exhaustive strategy."""
    mentions = [[number, number, 0, 1, ["people"], f"man{number}"] for number in range(3)]
    progress = begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": mentions}))
    apply(progress, RecordEntry(1, EntryKind.START, {}), settings)
    return progress


def test_greedy_withdraws_the_links_that_exhaustive_had_opened():
    effect = settings_effect(started(), EXHAUSTIVE, GREEDY, ())
    assert (effect.open_links, effect.closed_links, effect.opened_links) == (3, 2, 0)


def test_links_that_workers_have_stay_open():
    effect = settings_effect(started(), EXHAUSTIVE, GREEDY, (1, 2))
    assert (effect.closed_links, effect.kept_links) == (1, 2)


def test_the_same_settings_of_links_do_nothing():
    effect = settings_effect(started(), EXHAUSTIVE, replace(EXHAUSTIVE, merge_iou=0.7), ())
    assert effect == SettingsEffect(open_links=3)


def test_effects_add_up():
    one = SettingsEffect(3, 2, 1, 1, 5, 2, 0, 1)
    assert one.plus(one) == SettingsEffect(6, 4, 2, 2, 10, 4, 0, 2)
