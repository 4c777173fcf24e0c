"""Protocol settings: the paper's values, and what is refused.
The error of each kind of setting.
The description of a setting takes its range from the checks, so the two cannot disagree.
The version that an image follows, and what people chose.
The settings of a project become the rules of trust of each task.
Values of table 3.
Every setting is declared once, in one group; the guide says what two versions have differently.
"""

import json
import re
from dataclasses import fields, replace
from datetime import timedelta
from math import inf, nan
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from belief.learned import LearnedState
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors
from belief.links.link_prior import DEFAULT
from pipeline.policies.compose import compose
from pipeline.protocol.settings import Count, ProtocolSettings, SettingKind
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task
from pipeline.settings import ranges
from pipeline.settings.guide import (
    GUIDE,
    SECTIONS,
    Section,
    Setting,
    SettingLimits,
    changes_images,
    paper_says,
    setting_changes,
    value_text,
)
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.of_learned import NOTHING_LEARNED, LearnedValues
from pipeline.settings.of_work import batch_rules, needed_in_test, trust_rules
from pipeline.settings.settings import Settings, VersionScope, begun_from, followed_version
from pipeline.settings.table_3 import BATCH, MINIMUM, USUAL_SECONDS
from tests.support.places import ROOT
from tests.support.settings_with import settings_with
from tests.support.table import row
from workers.rules.score import ScoreRule
from workers.rules.trust import TrustModel

PAPER = Settings()


def test_the_defaults_are_the_protocol():
    assert PAPER.strategy is LinkStrategy.GREEDY_PLUS
    assert (PAPER.consensus_lead, PAPER.consensus_most) == (2, 5)
    assert PAPER.drawn_at_once == ("people", "clothing", "body parts")
    assert (PAPER.merge_iou, PAPER.merge_iou_other) == (0.8, 0.9)
    assert (PAPER.fruitless_drawings, PAPER.starved_hours, PAPER.reports_to_review) == (4, 24.0, 2)
    assert [PAPER.batch[task.value] for task in PROTOCOL_TASKS] == [10, 5, 10, 5, 10, 10]
    may_merge = {frozenset(pair) for pair in PAPER.mergeable_types}
    assert {pair for pair in may_merge if "other" not in pair} == {frozenset({"scene", "vehicles"})}
    assert len(may_merge) == 8


def test_surveys_that_are_left_out_get_the_usual_values():
    for name, usual in {"batch": 10, "reward_cents": 0, "trust": "trusted workers", "minimum": 0.8}.items():
        read = settings_with(**{name: {task.value: getattr(PAPER, name)[task.value] for task in PROTOCOL_TASKS}})
        assert {getattr(read, name)[task.value] for task in SURVEY_TASKS} == {usual} and read == PAPER, name


def test_settings_go_to_json_and_back_missing_names_keep_their_default_and_an_unknown_name_is_refused():
    settings = replace(Settings(), strategy=LinkStrategy.EXHAUSTIVE, mergeable_types=(("people", "clothing"),))
    settings = replace(settings, drawn_at_once=("animals",), dictionaries={"add": {"people": ["wizard"]}})
    assert Settings.from_json(json.loads(json.dumps(settings.to_json()))) == settings
    assert Settings.from_json({"consensus_most": 7}) == replace(Settings(), consensus_most=7)
    with pytest.raises(ValueError, match=r"Unknown settings: colour\. Known: strategy"):
        Settings.from_json({"colour": 1})


def refusal(name: str, value: Any) -> str:
    """Return why the value is refused, or nothing if it is not."""
    try:
        Settings.from_json({name: value})
    except ValueError as error:
        return str(error)
    return ""


WRONG_ERRORS = [("false_positive", 0.31), ("false_positive", 0.001), ("false_alarm", 0.05), ("misjoined", 0.1)]


def test_a_wrong_value_is_refused_by_name():
    missed, tasks = {"false_negative": 0.05}, [task.value for task in Task]
    wrong: dict[str, list[Any]] = {
        "drawn_at_once": [["ghosts"], 3],
        "merge_iou": ["0.8", None],
        "mergeable_types": [[["people", "ghosts"]], [["people"]], "people"],
        "starved_hours": [nan, inf],
        "dictionaries": [{"replace": {}}, ["people"]],
        "batch": [{"box_quality": 10}, [10, 5], dict.fromkeys(tasks, "many")],
        "trust": [{"box_drawing": "trusted workers"}, dict.fromkeys(tasks, "hope")],
        "probation_most": [29],
        "link_prior": [["people"], {"weights": {}}, {"sizes": {"": [0, 0, 0]}}, {"sizes": {"": [0, 0, 0, 0, nan]}}],
        "link_errors": [missed, *(missed | {name: rate} for name, rate in WRONG_ERRORS)],
        "model_families": [{"qwen": "qwen"}, {"12": ""}],
        "box_prior": [{"pairs": {"12": {}}}],
        "refit_links": [1],
    }
    for name, values in wrong.items():
        for value in values:
            assert name in refusal(name, value), f"{name}: {value!r}"


def test_a_whole_number_of_hours_is_a_number_of_hours_and_edited_dictionaries_hold_the_new_word():
    assert Settings.from_json({"starved_hours": 1}).starved_hours == 1
    edited = Settings(dictionaries={"add": {"people": ["gonkle"]}}).edited_dictionaries()
    assert "gonkle" in edited.words["people"]
    assert "gonkle" not in Settings().edited_dictionaries().words["people"]


FITTED = {"sizes": {"": [0.5, 0, 0, 0, -1.5]}, "pairs": {"same head": 2.25}, "fitted_on": 200}
RATES = {"false_negative": 0.06, "false_positive": 0.1}


def test_the_prior_is_that_of_the_settings_and_without_one_that_of_the_paper():
    assert Settings().learned.links is DEFAULT
    prior = Settings.from_json({"link_prior": FITTED}).learned.links
    assert (prior.sizes[""], prior.fitted_on) == ((0.5, 0.0, 0.0, 0.0, -1.5), 200)
    settings = settings_with(strategy=LinkStrategy.ADAPTIVE, link_prior=FITTED)
    again = Settings.from_json(json.loads(json.dumps(settings.to_json())))
    assert again.learned.links == settings.learned.links and again == settings


def test_the_errors_are_those_of_the_settings_and_without_any_those_of_the_paper_and_links_are_planned_by_them():
    assert Settings().learned.crowd is PAPER_ERRORS
    assert settings_with(link_errors=RATES).learned.crowd == CrowdErrors(0.06, 0.1)
    assert settings_with(link_errors=RATES | {"misjoined": 0.08}).learned.crowd == CrowdErrors(0.06, 0.1, 0.08)
    of_sweeps = settings_with(link_errors=RATES | {"overlooked": 0.02}).learned
    assert of_sweeps.crowd.overlooked == LearnedState.from_json(of_sweeps.to_json()).crowd.overlooked == 0.02
    assert "overlooked" not in settings_with(link_errors=RATES).learned.to_json()["link_errors"]
    adaptive = Settings(strategy=LinkStrategy.ADAPTIVE)
    digest = compose(adaptive).links.digest
    assert compose(settings_with(adaptive, link_errors=RATES)).links.digest != digest
    assert compose(replace(adaptive, refit_links=False)).links.digest == digest


@row(Count, 0)
@row(Count, True)
@row(Count, 1.5)
@row(ranges.Rate, nan)
@row(ranges.Rate, "1")
def test_a_value_out_of_range_is_refused_with_the_allowed_values_and_any_other_kept_as_it_was_written(
    kind: Any, value: object
):
    with pytest.raises(ValidationError, match=r"should be a (whole )?number from"):
        TypeAdapter(kind).validate_python(value, strict=True)
    read = TypeAdapter[float](ranges.Rate)
    assert repr([read.validate_python(value, strict=True) for value in (0, 1, 0.5)]) == "[0, 1, 0.5]"


def test_the_message_names_each_wrong_setting_at_once_with_the_value_and_what_it_should_be():
    wrong: list[tuple[str, Any, str]] = [
        ("consensus_lead", 0, "consensus_lead=0 should be a whole number from 1"),
        ("consensus_most", 1, "consensus_most: 1 should be at least consensus_lead, which is 2"),
        ("link_stop", 1, "link_stop=1 should be a number between 0 and 1"),
        ("merge_iou", "0.8", "merge_iou='0.8' should be a number above 0 and at most 1"),
        ("starved_hours", 10**400, "should be a number above 0 and at most 8760"),
        ("currency", "usd", "currency='usd' should be three capital letters, such as USD"),
        ("caption_language", "Arabic!", "caption_language='Arabic!' should be a language tag, such as ar or pt-BR, or"),
        ("strategy", "guessing", "strategy='guessing' should be 'exhaustive', 'greedy'"),
        ("drawn_at_once", ["ghosts"], "drawn_at_once[0]='ghosts' should be one of: \"people\""),
        ("mergeable_types", [["people"]], "mergeable_types[0][1] is missing"),
        ("mergeable_types", "people", "mergeable_types='people' should be a list"),
        ("batch", {"box_quality": 10}, "batch={'box_quality': 10} should have a value for each task"),
        ("dictionaries", {"replace": {}}, 'dictionaries: the name \'replace\' should be one of: "add", "remove"'),
        ("link_prior", {**FITTED, "pairs": {"weather": 1}}, "link_prior: pairs: the name 'weather' should be one of"),
        ("dictionaries", {"add": []}, "dictionaries['add']=[] should be an object with named values"),
    ]
    for setting, value, message in wrong:
        said = refusal(setting, value)
        assert said.startswith("Settings out of range: ") and message in said, f"{setting}: {value!r}"
    with pytest.raises(ValueError, match=r"probation=0 .*; tests=0 "):
        Settings(tests=0, probation=0)


NUMBERS = [one for one in GUIDE if one.kind in (SettingKind.NUMBER, SettingKind.PERCENT)]
ROOM = {"consensus_most": 10**6, "probation_most": 10**6}


def accepted(setting: Setting, number: float) -> bool:
    value: Any = dict.fromkeys(PROTOCOL_TASKS, number) if setting.per_task else number
    free: dict[str, Any] = {name: most for name, most in ROOM.items() if name != setting.name}
    if setting.name in ROOM:
        free |= {"consensus_lead": 1, "probation": 1}
    try:
        settings_with(settings_with(**free), **{setting.name: value})
    except ValueError:
        return False
    return True


def test_the_described_range_is_what_the_settings_accept_and_has_a_unit_or_is_a_share():
    assert NUMBERS and all(one.unit or one.kind is SettingKind.PERCENT for one in NUMBERS)
    for setting in NUMBERS:
        limits = setting.limits
        edges = [edge for edge in limits[:4] if edge is not None]
        assert edges, f"a number has a range: {setting.name}"
        step = 1 if limits.whole else 0.001
        for number in (around for edge in edges for around in (edge - step, edge, edge + step)):
            tried = int(number) if limits.whole else number
            assert accepted(setting, tried) == limits.holds(tried), f"{setting.name}: {tried}"


def test_a_range_in_words_and_a_share_is_said_per_cent():
    expected = {
        SettingLimits(least=1): "1 or more",
        SettingLimits(above=0): "more than 0",
        SettingLimits(least=1, most=50): "between 1 and 50",
        SettingLimits(above=0, most=1): "more than 0 and at most 1",
        SettingLimits(above=0, below=1): "more than 0 and less than 1",
        SettingLimits(least=0, most=100_000): "between 0 and 100,000",
        SettingLimits(least=1, most=99, odd=True): "an odd number between 1 and 99",
        SettingLimits(): "any number",
    }
    assert {limits: limits.words() for limits in expected} == expected
    assert SettingLimits(above=0, below=1).words(100) == "more than 0 and less than 100"


PLAIN = [VersionScope(1, None), VersionScope(2, None)]
SPARED = [VersionScope(1, None), VersionScope(2, 2), VersionScope(3, 2), VersionScope(4, 4)]


@row(PLAIN, None, 2)
@row(PLAIN, 1, 2)
@row(SPARED, None, 4)
@row(SPARED, 1, 1)
@row(SPARED, 2, 3)
@row(SPARED, 3, 3)
@row(SPARED, 4, 4)
@row([*SPARED, VersionScope(5, None)], 1, 5)
def test_a_begun_image_takes_the_newest_version_that_does_not_leave_it_behind(versions: Any, last: Any, taken: int):
    assert followed_version(versions, last) == taken >= (last or 0), "no image ever goes back to an older version"


def test_only_a_version_that_changes_images_decides_anew_which_of_them_follow():
    assert begun_from(5, before=2, begun_follow=False, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=False) == 2
    assert begun_from(5, before=2, begun_follow=True, changes_images=True) is None
    assert begun_from(5, before=None, begun_follow=False, changes_images=True) == 5


def test_every_task_has_the_minimum_of_table_3_and_trusted_workers() -> None:
    for task in Task:
        rules = trust_rules(PAPER, task)
        assert (rules.minimum, rules.model, rules.rule) == (MINIMUM[task], TrustModel.TRUSTED, ScoreRule.INTERVAL)
        assert (rules.probation, rules.trusted_rate, rules.verification_rate) == (30, 0.02, 0.2)


def test_a_task_may_have_another_model_and_minimum_than_the_others() -> None:
    trust = {**PAPER.trust, Task.BOX_DRAWING.value: TrustModel.VERIFICATION.value}
    minimum = {**PAPER.minimum, Task.BOX_DRAWING.value: 0.6}
    changed = replace(PAPER, trust=trust, minimum=minimum, below_minimum="bare", test_wait_hours=1.5, tests=2)
    drawing, link = trust_rules(changed, Task.BOX_DRAWING), trust_rules(changed, Task.COREFERENCE_LINK)
    assert (drawing.model, drawing.minimum) == (TrustModel.VERIFICATION, 0.6)
    assert (link.model, link.minimum) == (TrustModel.TRUSTED, 0.8)
    assert (link.rule, link.tests, link.test_wait) == (ScoreRule.BARE, 2, timedelta(minutes=90))
    batches = batch_rules(changed, Task.BOX_DRAWING)
    assert (batches.minimum, batches.rule, batches.questions) == (0.6, ScoreRule.BARE, 10)


def test_a_test_is_passed_with_the_share_of_the_minimum_rounded_down() -> None:
    for task, needed in {Task.BOX_DRAWING: 7, Task.BOX_QUALITY: 7, Task.BOX_COVERAGE: 8}.items():
        assert needed_in_test(PAPER, task, 10) == needed, task
        assert needed_in_test(PAPER, task, 20) in (2 * needed, 2 * needed + 1), task


PAPER_COUNTS = {
    Task.COREFERENCE_LINK: (10, 0.80, 75), Task.CHAIN_VERIFICATION: (5, 0.83, 95),
    Task.BOX_REQUIREMENT: (10, 0.83, 81), Task.BOX_DRAWING: (5, 0.70, 134), Task.BOX_QUALITY: (10, 0.78, 110),
    Task.BOX_COVERAGE: (10, 0.80, 91),
}  # fmt: skip


def test_every_task_of_the_paper_has_the_values_of_its_table_and_surveys_have_values_of_their_own():
    assert {task: (BATCH[task], MINIMUM[task], USUAL_SECONDS[task]) for task in PAPER_COUNTS} == PAPER_COUNTS
    assert BATCH.keys() == MINIMUM.keys() == USUAL_SECONDS.keys() == {*Task}


NAMED = {one.name: one for one in GUIDE}
OWN = "fitted to own answers, 60 images"
BOTH_SAID, MISREAD = "6.12 % false negatives, 10 % false positives", {"false_negative": 0.0612, "false_positive": 0.1}


def test_every_setting_is_declared_once_in_a_group_that_has_a_section_and_the_fold_of_tasks_reads_the_protocols():
    declared = sorted(field.name for group in SECTIONS for field in fields(group))
    assert declared == sorted(NAMED) and set(SECTIONS) == {*Settings.__mro__[2:-1], *LearnedValues.__mro__[1:-1]}
    assert set(SECTIONS.values()) == {*Section}
    of_images = (NAMED[field.name] for field in fields(ProtocolSettings) if field.name != "starved_hours")
    assert isinstance(Settings(), ProtocolSettings) and all(one.acts_on_images for one in of_images)


def test_a_description_is_a_sentence_and_its_choices_are_those_of_the_setting():
    for setting in GUIDE:
        assert setting.changes.endswith(".") and setting.label[0].isupper(), setting.name
        assert bool(setting.choices) == (setting.kind is SettingKind.CHOICE), setting.name
        for choice in setting.choices:
            assert choice.sentence.endswith("."), setting.name
            value: Any = dict.fromkeys(setting.default, choice.value) if setting.per_task else choice.value
            settings_with(Settings(), **{setting.name: value})


def test_the_settings_that_act_on_images_are_those_that_the_fold_reads():
    rooms = (ROOT / "pipeline/protocol", ROOT / "pipeline/policies")
    files = [*(path for room in rooms for path in room.rglob("*.py")), ROOT / "pipeline/settings/settings.py"]
    read = {name for file in files for name in re.findall(r"settings\.(\w+)", file.read_text()) if name in NAMED}
    assert read - {"dictionaries"} | {*NOTHING_LEARNED} == {one.name for one in GUIDE if one.acts_on_images}


def test_what_differs_is_said_in_words_for_each_task_that_differs_and_a_batch_changes_no_image():
    old = Settings()
    new = replace(old, strategy=LinkStrategy.GREEDY, batch={**old.batch, "box_drawing": 7}, spend_cap_cents=50_000)
    assert [(one.setting.name, one.task, one.before, one.after) for one in setting_changes(old, new)] == [
        ("strategy", None, "greedy plus", "greedy"),
        ("spend_cap_cents", None, "0 cents", "50,000 cents"),
        ("batch", "box_drawing", "5", "7"),
    ]
    assert setting_changes(old, old) == []
    assert not changes_images(old, replace(old, batch=new.batch, starved_hours=2.0))
    assert changes_images(old, replace(old, strategy=LinkStrategy.GREEDY))


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
        ("link_errors", MISREAD, BOTH_SAID),
        (
            "link_errors",
            MISREAD | {"misjoined": 0.003},
            f"{BOTH_SAID}, 0.3 % of the pairs that most call the same are not",
        ),
        ("program_errors", {}, "not known yet"),
        ("program_errors", {"12": [0.25, 0.1]}, "program 12: 25 % and 10 %"),
        ("model_families", {"12": "llava"}, "program 12: llava"),
        ("box_prior", {"refitted_on": 60, "pairs": {"7 12": {"apart": 5.0}}}, f"{OWN}; programs 7 and 12 err apart"),
        ("box_prior", {"refitted_on": 60, "pairs": {"7 12": {"apart": -5.0}}}, OWN),
        ("lease_minutes", 12.5, "12.5 minutes"),
    ]
    assert [(name, value, value_text(NAMED[name], value)) for name, value, _ in values] == values


def test_the_papers_value_is_said_which_is_the_default_of_all_but_the_comparison_with_the_minimum():
    assert paper_says(NAMED["batch"]) == "10, 5, 10, 5, 10, 10"
    assert paper_says(NAMED["currency"]) == "not in the paper"
    assert "trusted workers once that failed" in paper_says(NAMED["trust"])
    assert [one.name for one in GUIDE if not one.is_as_paper(one.default)] == ["below_minimum"]
    types = NAMED["drawn_at_once"]
    assert types.is_as_paper(("clothing", "people", "body parts")), "in another order, too"
    assert not types.is_as_paper(("clothing", "people"))
    assert [one.value for one in NAMED["strategy"].choices] == list(LinkStrategy)
    assert [one.value for one in NAMED["box_policy"].choices] == list(BoxPolicyName)
