"""/studies/: drafts and their fields, publishing and stopping; and what a study binds of the balance."""

import math
from dataclasses import replace
from urllib.parse import urlsplit

from tests.twins.prolific.account import (
    ACTIVE,
    AWAITING_REVIEW,
    COMPLETED,
    PAID,
    RESERVED,
    UNPUBLISHED,
    Account,
    Study,
    check_known,
    found,
    new_id,
    written,
)
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

REQUIRED = (
    "name", "description", "external_study_url", "prolific_id_option", "completion_codes",
    "total_available_places", "estimated_completion_time", "reward",
    # Prolific does without, and then gives each place its longest time.
    "maximum_allowed_time",
)  # fmt: skip
OPTIONAL: Json = {
    **dict.fromkeys(("internal_name", "naivety_distribution_rate", "project", "metadata")),
    "is_external_study_url_secure": False,
    "device_compatibility": [], "peripheral_requirements": [], "filters": [], "submissions_config": {},
    "study_labels": [], "content_warnings": [], "content_warning_details": "",
}  # fmt: skip
ALLOWLIST, BLOCKLIST = "participant_group_allowlist", "participant_group_blocklist"
PID = "{{%PROLIFIC_PID%}}"
CONFIG = {"max_submissions_per_participant": 1, "max_concurrent_submissions": -1}
ACTIONS = {"participant": "MANUALLY_REVIEW", "researcher": "DYNAMIC_PAYMENT"}
"""The one action of completion codes that the twin plays, by the actor who gives the code."""

Problems = dict[str, list[str]]
STEPS = {(UNPUBLISHED, "PUBLISH"): ACTIVE, (ACTIVE, "STOP"): COMPLETED}
UNDECIDED = frozenset({RESERVED, ACTIVE, AWAITING_REVIEW})


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
    made = OPTIONAL | given
    made["submissions_config"] = CONFIG | made["submissions_config"]
    return made


def least_allowed_time(estimated: float) -> int:
    """Minutes: two, and twice the estimate, and twice its square root."""
    return math.ceil(2 + 2 * estimated + 2 * math.sqrt(estimated))


def _check_numbers(sent: Json, problems: Problems) -> None:
    for name in ("total_available_places", "estimated_completion_time", "reward", "maximum_allowed_time"):
        value = sent[name]
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            _add(problems, {name: "A number greater than 0 is required."})
    if not problems and sent["maximum_allowed_time"] < least_allowed_time(sent["estimated_completion_time"]):
        _add(problems, {"maximum_allowed_time": "This is too short for the estimated time."})


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
        if not one.get("code") or not one.get("code_type"):
            _add(problems, {"completion_codes": "A code and its code_type are required."})
        played = ACTIONS[one.get("actor") or "participant"]
        if {action.get("action") for action in one.get("actions", [])} - {played}:
            _add(problems, {"completion_codes": f"The twin plays the action {played} alone."})


def _add(problems: Problems, found: dict[str, str]) -> None:
    for name, why in found.items():
        problems.setdefault(name, []).append(why)


def create_study(account: Account, request: Request) -> Reply:
    fields = complete_fields(request.body)
    _check_groups(account, fields)
    study = Study(new_id(), fields, account.clock.now())
    account.studies[study.id] = study
    return Reply(201, shown(study))


def calculate_cost(account: Account, request: Request) -> Reply:
    reward, places = request.need("reward", "total_available_places")
    return Reply(200, {"total_cost": account.wallet.charge(reward).total * places})


def list_studies(account: Account, request: Request) -> Reply:
    states = set(request.query.get("state", "").strip("()").upper().replace("_", " ").split("|")) - {""}
    rows = [_short(account, one) for one in account.studies.values() if not states or one.status in states]
    return listed(request, rows)


def predict_time(account: Account, request: Request) -> Reply:
    """Guessed: two places an hour."""
    (places,) = request.need("total_available_places")
    hours = places / 2
    bounds = {"lower_bound_hours": hours / 2, "upper_bound_hours": hours * 2, "limit_at": 48}
    return Reply(200, {"precise_recruitment_time_hours": hours, "display_string": f"{hours:g} hours"} | bounds)


def predict_time_of(account: Account, request: Request, key: str) -> Reply:
    fields = found(account.studies, key, "study").fields
    return predict_time(account, replace(request, body=fields))


def show_study(account: Account, request: Request, key: str) -> Reply:
    return Reply(200, shown(found(account.studies, key, "study")))


def delete_study(account: Account, request: Request, key: str) -> Reply:
    if found(account.studies, key, "study").status != UNPUBLISHED:
        raise Refusal("Published studies cannot be deleted.")
    del account.studies[key]
    return Reply(204)


def transition_study(account: Account, request: Request, key: str) -> Reply:
    study = found(account.studies, key, "study")
    (action,) = request.need("action")
    if (study.status, action) not in STEPS:
        raise Refusal(f"The action {action} is not possible: the study is {study.status}.")
    if action == "PUBLISH":
        if (cost := bound_if_live(account, study)) > available(account):
            raise Refusal(f"The balance is too low: {cost} needed, {available(account)} available.")
        study.published = account.clock.now()
    account.move_study(study, STEPS[study.status, action])
    return Reply(200, shown(study))


def create_test_participant(account: Account, request: Request) -> Reply:
    (email,) = request.need("email")
    if email in account.test_participants.values():
        raise Refusal({"email": ["This address has an account."]})
    made = new_id()
    account.test_participants[made] = email
    return Reply(201, {"participant_id": made})


def create_test_study(account: Account, request: Request, key: str) -> Reply:
    """Guessed: a copy of the draft, with its internal name, which costs nothing; the draft stays."""
    draft = found(account.studies, key, "study")
    if draft.status != UNPUBLISHED:
        raise Refusal("A test study is made of a draft.")
    if not account.test_participants:
        raise Refusal("There is no test participant.")
    made = replace(draft, id=new_id(), is_test=True, published=account.clock.now())
    account.studies[made.id] = made
    account.move_study(made, ACTIVE)
    return Reply(200, {"study_id": made.id, "study_url": f"{request.site}/studies/{made.id}"})


def settle(account: Account, study: Study) -> None:
    """After a submission moved: a study whose places are used up rests, and one with a free place recruits again."""
    used = [one for one in account.of_study(study) if one.status in {AWAITING_REVIEW, *PAID}]
    full = len(used) >= study.places
    if study.status in (ACTIVE, AWAITING_REVIEW) and full:
        status = COMPLETED if all(one.status in PAID for one in used) else AWAITING_REVIEW
        if study.status != status:
            account.move_study(study, status)
    elif study.status == AWAITING_REVIEW:
        account.move_study(study, ACTIVE)


def available(account: Account) -> int:
    """Of the balance, what no study binds."""
    return account.wallet.balance - sum(_bound(account, study) for study in account.studies.values())


def bound_if_live(account: Account, study: Study) -> int:
    """The cost of the places not yet paid for."""
    if study.is_test:
        return 0
    paid = sum(one.status in PAID for one in account.of_study(study))
    return account.wallet.charge(study.reward).total * max(0, study.places - paid)


def shown(study: Study) -> Json:
    return study.fields | _state(study)


def _short(account: Account, study: Study) -> Json:
    """As a row of the list of studies."""
    return _state(study) | {
        **{name: study.fields[name] for name in ("name", "internal_name", "total_available_places", "reward")},
        "date_created": written(study.created), "published_at": written(study.published),
        "places_taken": account.places_taken(study),
        "number_of_submissions": len(account.of_study(study)),
        "total_cost": account.wallet.charge(study.reward).total * study.places,
    }  # fmt: skip


def _state(study: Study) -> Json:
    return {"id": study.id, "status": study.status, "is_ready_to_publish": True}


def _bound(account: Account, study: Study) -> int:
    if study.status in (ACTIVE, AWAITING_REVIEW):
        return bound_if_live(account, study)
    if study.is_test:
        return 0
    waiting = sum(one.status in UNDECIDED for one in account.of_study(study))
    return account.wallet.charge(study.reward).total * waiting


def _check_groups(account: Account, fields: Json) -> None:
    filters = [one for one in fields["filters"] if one.get("filter_id") in (ALLOWLIST, BLOCKLIST)]
    check_known(account.groups, [group for one in filters for group in one["selected_values"]], "participant group")
