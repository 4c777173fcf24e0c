"""The rules of a version of the settings: who decides about links and boxes."""

from dataclasses import replace

from pipeline.policies.compose import compose
from pipeline.protocol.boxes.policy import BoxPolicy
from pipeline.protocol.links.policy import LinkPolicy
from pipeline.protocol.rules import Rules
from pipeline.settings.settings import Settings


def test_the_same_settings_share_their_rules_and_each_has_two_policies():
    settings = Settings()
    rules = compose(settings)
    assert isinstance(rules, Rules) and rules is compose(settings) and rules.settings is settings
    assert isinstance(rules.links, LinkPolicy) and isinstance(rules.boxes, BoxPolicy)


def test_other_settings_of_links_have_another_digest():
    assert compose(replace(Settings(), consensus_lead=3)).links.digest != compose(Settings()).links.digest
