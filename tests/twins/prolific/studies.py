"""/studies/: drafts, what may change in them, publishing and stopping; and what a study binds of the balance."""

from tests.twins.prolific.account import (
    ACTIVE,
    APPROVED,
    AWAITING_REVIEW,
    COMPLETED,
    PAUSED,
    RESERVED,
    SCREENED_OUT,
    UNPUBLISHED,
    Account,
    Study,
    check_known,
    found,
    new_id,
)
from tests.twins.prolific.clock import written
from tests.twins.prolific.study_fields import ALLOWLIST, BLOCKLIST, complete_fields
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

STEPS = {
    (UNPUBLISHED, "PUBLISH"): ACTIVE,
    (ACTIVE, "PAUSE"): PAUSED,
    (ACTIVE, "STOP"): COMPLETED,
    (PAUSED, "START"): ACTIVE,
    (PAUSED, "STOP"): COMPLETED,
}
CHANGEABLE = {"internal_name", "total_available_places", "submissions_config", "completion_codes"}
"""Of a published study. Of its codes, only the slots of a screen-out."""
UNDECIDED = frozenset({RESERVED, ACTIVE, AWAITING_REVIEW})


def create_study(account: Account, request: Request) -> Reply:
    fields = complete_fields(request.body)
    _check_groups(account, fields)
    study = Study(new_id(), fields, account.clock.now())
    account.studies[study.id] = study
    return Reply(201, shown(account, study))


def list_studies(account: Account, request: Request) -> Reply:
    states = set(request.query.get("state", "").strip("()").upper().replace("_", " ").split("|")) - {""}
    rows = [shown(account, one) for one in account.studies.values() if not states or one.status in states]
    return listed(request, rows)


def show_study(account: Account, request: Request, key: str) -> Reply:
    return Reply(200, shown(account, found(account.studies, key, "study")))


def delete_study(account: Account, request: Request, key: str) -> Reply:
    if found(account.studies, key, "study").status != UNPUBLISHED:
        raise Refusal("Published studies cannot be deleted.")
    del account.studies[key]
    return Reply(204)


def update_study(account: Account, request: Request, key: str) -> Reply:
    study = found(account.studies, key, "study")
    if study.status == UNPUBLISHED:
        study.fields = complete_fields(study.fields | request.body)
        _check_groups(account, study.fields)
    else:
        _change_published(account, study, request.body)
    return Reply(200, shown(account, study))


def transition_study(account: Account, request: Request, key: str) -> Reply:
    study = found(account.studies, key, "study")
    (action,) = request.need("action")
    if (study.status, action) not in STEPS:
        raise Refusal(f"The action {action} is not possible: the study is {study.status}.")
    if action == "PUBLISH":
        _check_funds(account, bound_if_live(account, study))
        study.published = account.clock.now()
    account.move_study(study, STEPS[study.status, action])
    return Reply(200, shown(account, study))


def settle(account: Account, study: Study) -> None:
    """After a submission moved: a study whose places are used up rests, and one with a free place recruits again."""
    used = [one for one in account.of_study(study) if one.status in (AWAITING_REVIEW, APPROVED)]
    full = len(used) >= study.places
    if study.status in (ACTIVE, AWAITING_REVIEW) and full:
        approved = all(one.status == APPROVED for one in used)
        _move_if_other(account, study, COMPLETED if approved else AWAITING_REVIEW)
    elif study.status == AWAITING_REVIEW:
        account.move_study(study, ACTIVE)
    slots, screened_out = slots_of(study), screened_out_of(account, study)
    if study.status == ACTIVE and slots and screened_out >= slots:
        account.move_study(study, PAUSED)


def available(account: Account) -> int:
    """Of the balance, what no study binds."""
    return account.wallet.balance - sum(_bound(account, study) for study in account.studies.values())


def bound_if_live(account: Account, study: Study) -> int:
    """The cost of the places not yet paid for and the screen-outs still possible."""
    paid = sum(one.status == APPROVED for one in account.of_study(study))
    left = max(0, slots_of(study) - screened_out_of(account, study))
    price = account.wallet.charge(study.reward).total
    return price * max(0, study.places - paid) + account.wallet.charge(_screen_out_reward(study)).total * left


def slots_of(study: Study) -> int:
    return int(_screen_out(study).get("slots", 0))


def screened_out_of(account: Account, study: Study) -> int:
    return sum(one.status == SCREENED_OUT for one in account.of_study(study))


def shown(account: Account, study: Study) -> Json:
    return study.fields | {
        "id": study.id,
        "status": study.status,
        "is_ready_to_publish": True,
        "places_taken": account.places_taken(study),
        "number_of_submissions": len(account.of_study(study)),
        "total_cost": account.wallet.charge(study.reward).total * study.places,
        "currency_code": account.wallet.currency,
        "presentment_currency_code": account.wallet.currency,
        "date_created": written(study.created),
        "published_at": written(study.published),
    }


def _change_published(account: Account, study: Study, sent: Json) -> None:
    if fixed := sorted(sent.keys() - CHANGEABLE):
        raise Refusal({name: ["A published study keeps this."] for name in fixed})
    places = int(sent.get("total_available_places", study.places))
    if places < study.places:
        raise Refusal({"total_available_places": ["This can only grow."]})
    more = places - study.places
    _check_funds(account, account.wallet.charge(study.reward).total * more)
    _change_slots(study, sent.get("completion_codes", []))
    study.fields = study.fields | {name: sent[name] for name in sent.keys() - {"completion_codes"}}
    if more and study.status in (COMPLETED, AWAITING_REVIEW):
        account.move_study(study, ACTIVE)


def _change_slots(study: Study, codes: list[Json]) -> None:
    for sent in codes:
        for action in sent.get("actions", []):
            if "slots" not in action or sent.get("code") != _screen_out(study).get("code"):
                raise Refusal({"completion_codes": ["Of a published study, only slots can change."]})
            for one in study.fields["completion_codes"]:
                if one["code"] == sent["code"]:
                    one["actions"] = [old | {"slots": action["slots"]} for old in one["actions"]]


def _screen_out(study: Study) -> Json:
    """The action that screens out, with its code; empty if the study has none."""
    for code in study.fields["completion_codes"]:
        for action in code["actions"]:
            if action["action"] == "FIXED_SCREEN_OUT_PAYMENT":
                return {**action, "code": code["code"]}
    return {}


def _screen_out_reward(study: Study) -> int:
    return int(_screen_out(study).get("fixed_screen_out_reward", 0))


def _bound(account: Account, study: Study) -> int:
    if study.status in (ACTIVE, PAUSED, AWAITING_REVIEW):
        return bound_if_live(account, study)
    waiting = sum(one.status in UNDECIDED for one in account.of_study(study))
    return account.wallet.charge(study.reward).total * waiting


def _move_if_other(account: Account, study: Study, status: str) -> None:
    if study.status != status:
        account.move_study(study, status)


def _check_funds(account: Account, cost: int) -> None:
    if cost > available(account):
        raise Refusal(f"The balance is too low: {cost} needed, {available(account)} available.")


def _check_groups(account: Account, fields: Json) -> None:
    filters = [one for one in fields["filters"] if one.get("filter_id") in (ALLOWLIST, BLOCKLIST)]
    named = [group for one in filters for group in one.get("selected_values", [])]
    actions = [action for code in fields["completion_codes"] for action in code["actions"]]
    named += [action["participant_group"] for action in actions if "participant_group" in action]
    check_known(account.groups, named, "participant group")
