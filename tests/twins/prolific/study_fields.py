"""The fields of a study, and the defaults that the platform fills in."""

import math
from typing import Any
from urllib.parse import urlsplit

from tests.twins.prolific.wire import Json, Refusal

REQUIRED = (
    "name",
    "description",
    "external_study_url",
    "prolific_id_option",
    "completion_codes",
    "total_available_places",
    "estimated_completion_time",
    "reward",
)
OPTIONAL: Json = {
    "internal_name": None,
    "maximum_allowed_time": None,
    "device_compatibility": [],
    "peripheral_requirements": [],
    "filters": [],
    "naivety_distribution_rate": None,
    "project": None,
    "submissions_config": {},
    "study_labels": [],
    "content_warnings": [],
    "content_warning_details": "",
    "metadata": None,
}
ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"
PID = "{{%PROLIFIC_PID%}}"
CONFIG = {"max_submissions_per_participant": 1, "max_concurrent_submissions": -1}
ACTIONS = {
    "AUTOMATICALLY_APPROVE": (),
    "MANUALLY_REVIEW": (),
    "REQUEST_RETURN": ("return_reason",),
    "ADD_TO_PARTICIPANT_GROUP": ("participant_group",),
    "REMOVE_FROM_PARTICIPANT_GROUP": ("participant_group",),
    "FIXED_SCREEN_OUT_PAYMENT": ("fixed_screen_out_reward", "slots"),
}
"""Of a completion code, with the fields that each needs."""

Problems = dict[str, list[str]]


def complete_fields(sent: Json) -> Json:
    """All fields of a new study. Raises Refusal that says what is wrong with which field."""
    problems: Problems = {}
    _add(problems, {one: "This field is required." for one in REQUIRED if sent.get(one) in (None, "", [])})
    _add(problems, {one: "There is no such field." for one in sent.keys() - set(REQUIRED) - OPTIONAL.keys()})
    if not problems:
        _check_numbers(sent, problems)
        _check_address(sent, problems)
        _check_codes(sent, problems)
    if problems:
        raise Refusal(problems)
    given = {name: value for name, value in sent.items() if value is not None}
    made = OPTIONAL | {"maximum_allowed_time": least_allowed_time(sent["estimated_completion_time"])} | given
    made["submissions_config"] = CONFIG | made["submissions_config"]
    return made


def least_allowed_time(estimated: float) -> int:
    """Minutes: two, and twice the estimate, and twice its square root."""
    return math.ceil(2 + 2 * estimated + 2 * math.sqrt(estimated))


def _check_numbers(sent: Json, problems: Problems) -> None:
    for name in ("total_available_places", "estimated_completion_time", "reward"):
        if not _positive(sent[name]):
            _add(problems, {name: "A number greater than 0 is required."})
    allowed = sent.get("maximum_allowed_time")
    if allowed is not None and not problems and allowed < least_allowed_time(sent["estimated_completion_time"]):
        _add(problems, {"maximum_allowed_time": "This is too short for the estimated time."})


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _check_address(sent: Json, problems: Problems) -> None:
    address, option = sent["external_study_url"], sent["prolific_id_option"]
    if urlsplit(address).scheme not in ("http", "https"):
        _add(problems, {"external_study_url": "This is not an address."})
    if option not in ("question", "url_parameters", "not_required"):
        _add(problems, {"prolific_id_option": f"{option!r} is not a choice."})
    if option == "url_parameters" and PID not in address:
        _add(problems, {"external_study_url": f"{PID} is missing."})


def _check_codes(sent: Json, problems: Problems) -> None:
    codes = [one.get("code") for one in sent["completion_codes"]]
    if len(set(codes)) < len(codes):
        _add(problems, {"completion_codes": "Each code must be unique within a study."})
    for one in sent["completion_codes"]:
        actions = [action.get("action") for action in one.get("actions", [])]
        if not one.get("code") or not one.get("code_type"):
            _add(problems, {"completion_codes": "A code and its code_type are required."})
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= set(actions):
            _add(problems, {"completion_codes": "These actions cannot be used together."})
        for action in one.get("actions", []):
            _check_action(action, sent, problems)


def _check_action(action: Json, sent: Json, problems: Problems) -> None:
    kind = action.get("action")
    if kind not in ACTIONS:
        _add(problems, {"completion_codes": f"The action {kind!r} is not open to your workspace."})
    elif any(name not in action for name in ACTIONS[kind]):
        _add(problems, {"completion_codes": f"{kind} needs {', '.join(ACTIONS[kind])}."})
    elif kind == "FIXED_SCREEN_OUT_PAYMENT" and action["fixed_screen_out_reward"] >= sent["reward"]:
        _add(problems, {"completion_codes": "The screen-out reward must be less than the study's."})


def _add(problems: Problems, found: dict[str, str]) -> None:
    for name, why in found.items():
        problems.setdefault(name, []).append(why)
