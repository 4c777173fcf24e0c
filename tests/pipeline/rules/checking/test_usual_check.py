"""The settings that begin a check."""

from pipeline.rules.checking.usual_check import USUAL, to_check
from pipeline.rules.settings.protocol import ProtocolSettings


def test_a_check_links_adaptively_and_asks_by_belief():
    settings = to_check(ProtocolSettings(), 7)
    assert (settings.checked, settings.strategy.value, settings.box_policy.value) == (7, "adaptive", "belief")
    assert settings.proposals
    assert {name: getattr(settings, name) for name in USUAL} == dict(USUAL)


def test_what_the_requester_has_chosen_stays():
    assert to_check(ProtocolSettings(link_stop=0.2), 7).link_stop == 0.2
