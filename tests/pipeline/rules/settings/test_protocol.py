"""Protocol settings: the paper's values, and what is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, CrowdErrors
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task


def test_the_defaults_are_the_protocol():
    settings = ProtocolSettings()
    assert settings.strategy is Strategy.GREEDY_PLUS
    assert (settings.consensus_lead, settings.consensus_most) == (2, 5)
    assert settings.drawn_at_once == ("people", "clothing", "body parts")
    assert (settings.merge_iou, settings.merge_iou_other) == (0.8, 0.9)
    assert (settings.fruitless_drawings, settings.starved_hours, settings.reports_to_review) == (4, 24.0, 2)
    assert [settings.batch[task.value] for task in PROTOCOL_TASKS] == [10, 5, 10, 5, 10, 10]


def test_a_version_from_before_there_were_surveys_gets_their_values():
    for name, usual in {"batch": 10, "reward_cents": 0, "trust": "trusted workers", "minimum": 0.8}.items():
        stored = ProtocolSettings().to_json()
        stored[name] = {task.value: stored[name][task.value] for task in PROTOCOL_TASKS}
        del stored["survey_votes"]
        read = ProtocolSettings.from_json(json.loads(json.dumps(stored)))
        assert read == ProtocolSettings(), name
        assert {getattr(read, name)[task.value] for task in SURVEY_TASKS} == {usual}, name


def test_other_may_merge_with_every_type_and_scene_with_vehicles_and_nothing_else():
    pairs = {frozenset(pair) for pair in ProtocolSettings().mergeable_types}
    assert {pair for pair in pairs if "other" not in pair} == {frozenset({"scene", "vehicles"})}
    assert len(pairs) == 8


def test_settings_go_to_json_and_back():
    settings = replace(
        ProtocolSettings(),
        strategy=Strategy.EXHAUSTIVE,
        drawn_at_once=("animals",),
        mergeable_types=(("people", "clothing"),),
        dictionaries={"add": {"people": ["wizard"]}},
    )
    assert ProtocolSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_missing_names_keep_their_default():
    assert ProtocolSettings.from_json({"consensus_most": 7}) == replace(ProtocolSettings(), consensus_most=7)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Unknown settings: colour\. Known: strategy"):
        ProtocolSettings.from_json({"colour": 1})


def refusal(name: str, value: Any) -> str:
    """Return why the value is refused, or nothing if it is not."""
    try:
        ProtocolSettings.from_json({name: value})
    except ValueError as error:
        return str(error)
    return ""


def test_a_wrong_value_is_refused_by_name():
    wrong: list[tuple[str, Any]] = [
        ("consensus_lead", 0),
        ("consensus_most", 1),
        ("drawn_at_once", ["ghosts"]),
        ("survey_votes", 0),
        ("survey_votes", 4),
        ("survey_votes", 101),
        ("no_box_votes", 0),
        ("coverage_votes", 0),
        ("fruitless_drawings", 0),
        ("merge_iou", 0.0),
        ("merge_iou_other", 1.5),
        ("mergeable_types", [["people", "ghosts"]]),
        ("mergeable_types", [["people"]]),
        ("reports_to_review", 0),
        ("starved_hours", 0.0),
        ("lease_minutes", -1.0),
        ("dictionaries", {"replace": {}}),
        ("batch", {"box_quality": 10}),
        ("batch", {task.value: 0 for task in Task}),
        ("strategy", "guessing"),
        ("link_stop", 0),
        ("link_stop", 1.0),
        ("verify_below", 0.0),
        ("verify_below", 1.1),
        ("link_most", 0),
        ("link_most", 2.5),
        ("link_prior", ["people"]),
        ("link_prior", {"weights": {}}),
        ("link_prior", {"sizes": {"": [0, 0, 0]}}),
        ("link_prior", {"sizes": {"": [0, 0, 0, 0, float("nan")]}}),
        ("link_errors", {"false_negative": 0.05}),
        ("link_errors", {"false_negative": 0.05, "false_positive": 0.31}),
        ("link_errors", {"false_negative": 0.05, "false_alarm": 0.05}),
        ("families", {"qwen": "qwen"}),
        ("families", {"12": ""}),
        ("box_prior", {"pairs": {"12": {}}}),
        ("refit_links", 1),
        # Of a wrong kind altogether, as a hand-written file can hold them.
        ("consensus_lead", "two"),
        ("fruitless_drawings", 2.5),
        ("no_box_votes", True),
        ("merge_iou", "0.8"),
        ("merge_iou", None),
        ("batch", [10, 5]),
        ("batch", {task.value: "many" for task in Task}),
        ("dictionaries", ["people"]),
        ("drawn_at_once", 3),
        ("mergeable_types", "people"),
        ("starved_hours", float("nan")),
        ("starved_hours", float("inf")),
    ]
    for name, value in wrong:
        assert name in refusal(name, value), f"{name}: {value!r}"


def test_a_whole_number_of_hours_is_a_number_of_hours():
    assert ProtocolSettings.from_json({"starved_hours": 1}).starved_hours == 1


def test_the_edited_dictionaries_hold_the_new_word():
    edited = ProtocolSettings(dictionaries={"add": {"people": ["gonkle"]}}).edited_dictionaries()
    assert "gonkle" in edited.words["people"]
    assert "gonkle" not in ProtocolSettings().edited_dictionaries().words["people"]


FITTED = {"sizes": {"": [0.5, 0, 0, 0, -1.5]}, "pairs": {"same head": 2.25}, "fitted_on": 200}


def test_the_prior_is_that_of_the_settings_and_without_one_that_of_the_paper():
    assert ProtocolSettings().prior() is DEFAULT
    prior = ProtocolSettings.from_json({"link_prior": FITTED}).prior()
    assert (prior.sizes[""], prior.fitted_on) == ((0.5, 0.0, 0.0, 0.0, -1.5), 200)


def test_the_errors_are_those_of_the_settings_and_without_any_those_of_the_paper():
    rates = {"false_negative": 0.06, "false_positive": 0.1}
    assert ProtocolSettings().errors() is OF_PAPER
    assert ProtocolSettings(link_errors=rates).errors() == CrowdErrors(0.06, 0.1)


def test_links_are_planned_anew_under_other_errors():
    adaptive = ProtocolSettings(strategy=Strategy.ADAPTIVE)
    rates = {"false_negative": 0.06, "false_positive": 0.1}
    assert replace(adaptive, link_errors=rates).link_rules() != adaptive.link_rules()
    assert replace(adaptive, refit_links=False).link_rules() == adaptive.link_rules()


def test_equal_weights_are_read_once():
    settings = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_prior=FITTED)
    assert ProtocolSettings.from_json(json.loads(json.dumps(settings.to_json()))).prior() is settings.prior()


def test_what_is_wrong_with_a_prior_is_said():
    with pytest.raises(ValueError, match=r"link_prior: pairs: the name 'the weather' should be one of"):
        ProtocolSettings(link_prior={**FITTED, "pairs": {"the weather": 1}})
