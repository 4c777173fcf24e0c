"""The guide holds every setting once, and says what two versions have differently."""

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.guide import GUIDE, changes, changes_images, in_section, paper_says, value_text
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.setting import Kind, Section

ROOT = Path(__file__).parents[4]
NAMED = {one.name: one for one in GUIDE}
OWN = "fitted to own answers, 60 images"
BOTH_SAID = "6.12 % false negatives, 10 % false positives"


def test_every_setting_is_described_once_and_stands_in_a_section():
    assert sorted(one.name for one in GUIDE) == sorted(each.name for each in fields(ProtocolSettings))
    assert sum(len(in_section(section)) for section in Section) == len(GUIDE)
    assert all(in_section(section) for section in Section)


def test_a_description_is_a_sentence_and_its_choices_are_those_of_the_setting():
    for setting in GUIDE:
        assert setting.changes.endswith(".") and setting.label[0].isupper(), setting.name
        assert bool(setting.choices) == (setting.kind is Kind.CHOICE), setting.name
        for choice in setting.choices:
            assert choice.sentence.endswith("."), setting.name
            value: Any = dict.fromkeys(setting.default, choice.value) if setting.per_task else choice.value
            replace(ProtocolSettings(), **{setting.name: value})


def test_the_settings_that_act_on_images_are_those_that_the_fold_reads():
    rooms = (ROOT / "pipeline/rules/image", ROOT / "pipeline/rules/entries")
    files = [*(path for room in rooms for path in room.glob("*.py")), ROOT / "pipeline/rules/settings/protocol.py"]
    read = {name for file in files for name in re.findall(r"settings\.(\w+)", file.read_text()) if name in NAMED}
    # By the functions `prior`, `errors`, `links_beyond_rules`, `box_rules` and `source`.
    read |= {
        "link_prior",
        "link_errors",
        "beyond_rules",
        "box_sure",
        "box_prior",
        "programs_alone",
        "checked",
        "checked_trust",
    }

    assert read - {"dictionaries"} == {one.name for one in GUIDE if one.acts_on_images}


def test_what_differs_is_said_in_words_for_each_task_that_differs():
    old = ProtocolSettings()
    new = replace(old, strategy=Strategy.GREEDY, batch={**old.batch, "box_drawing": 7}, spend_cap_cents=50_000)
    assert [(one.setting.name, one.task, one.before, one.after) for one in changes(old, new)] == [
        ("strategy", None, "greedy plus", "greedy"),
        ("spend_cap_cents", None, "0 cents", "50,000 cents"),
        ("batch", "box_drawing", "5", "7"),
    ]
    assert changes(old, old) == []


def test_a_batch_changes_no_image_and_a_strategy_does():
    old = ProtocolSettings()
    assert not changes_images(old, replace(old, batch={**old.batch, "box_drawing": 7}, starved_hours=2.0))
    assert changes_images(old, replace(old, strategy=Strategy.GREEDY))


def test_a_value_in_words():
    values: list[tuple[str, object, str]] = [
        ("minimum", 0.83, "83 %"),
        ("guests_trusted", True, "yes"),
        ("drawn_at_once", (), "none"),
        ("mergeable_types", (("scene", "vehicles"),), "scene + vehicles"),
        ("dictionaries", {"remove": {"people": ["man"]}}, "remove “man”: people"),
        ("caption_language", "", "none"),
        ("link_prior", {}, "the default prior"),
        ("link_prior", {"refitted_on": 1200}, "fitted to own answers, 1,200 images"),
        ("link_prior", {"sizes": {}, "pairs": {"same head": 1.5}, "refitted_on": 60}, OWN),
        ("link_prior", {"fitted_on": 200}, "fitted to finished projects"),
        ("link_errors", {}, "those of the paper's Table 2"),
        ("link_errors", {"false_negative": 0.0612, "false_positive": 0.1}, BOTH_SAID),
        ("program_errors", {}, "not known yet"),
        ("program_errors", {"12": [0.25, 0.1]}, "program 12: 25 % and 10 %"),
        ("families", {"12": "llava"}, "program 12: llava"),
        ("box_prior", {"refitted_on": 60, "pairs": {"7 12": {"apart": 5.0}}}, f"{OWN}; programs 7 and 12 err apart"),
        ("box_prior", {"refitted_on": 60, "pairs": {"7 12": {"apart": -5.0}}}, OWN),
        ("lease_minutes", 12.5, "12.5 minutes"),
    ]
    assert [(name, value, value_text(NAMED[name], value)) for name, value, _ in values] == values


def test_the_papers_value_is_said_or_that_there_is_none():
    assert paper_says(NAMED["batch"]) == "10, 5, 10, 5, 10, 10"
    assert paper_says(NAMED["currency"]) == "not in the paper"
    assert "trusted workers once that failed" in paper_says(NAMED["trust"])
