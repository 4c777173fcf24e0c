"""Operations that send word: to workers by mail, to the requester by notification."""

from typing import Any

from tests.twins.mturk.account import Account
from tests.twins.mturk.errors import invalid, unknown
from tests.twins.mturk.events import event, message
from tests.twins.mturk.records import Mail

Values = dict[str, Any]
MAX_WORKERS, MAX_SUBJECT, MAX_TEXT = 100, 200, 4096
VERSIONS = ("2006-05-05", "2014-08-15")


def notify_workers(account: Account, params: Values) -> Values:
    """Mail reaches only those whose work this requester has reviewed; the others are named in the reply."""
    subject, text, ids = params["Subject"], params["MessageText"], params["WorkerIds"]
    if len(ids) > MAX_WORKERS or len(subject) > MAX_SUBJECT or len(text) > MAX_TEXT:
        raise invalid(f"At most {MAX_WORKERS} workers, {MAX_SUBJECT} and {MAX_TEXT} characters.")
    known = [id for id in ids if id in account.workers and account.workers[id].known]
    account.mails += [Mail(id, subject, text) for id in known]
    failed = {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "This worker has no reviewed work.",
    }
    return {"NotifyWorkersFailureStatuses": [{**failed, "WorkerId": id} for id in ids if id not in known]}


def update_notification_settings(account: Account, params: Values) -> Values:
    kind = params["HITTypeId"]
    if kind not in account.hit_types:
        raise unknown("HITType", kind)
    earlier = account.notifications.get(kind, {})
    if "Notification" not in params and not earlier:
        raise invalid("This HIT type has no notification specification yet.")
    check_notification(params.get("Notification"))
    if "Ping" in params.get("Notification", {}).get("EventTypes", []):
        raise invalid("Ping is for SendTestEventNotification only.")
    account.notifications[kind] = {"Active": True, **earlier, **params}
    return {}


def check_notification(notification: Values | None) -> None:
    """Raises TurkError for a version that is in neither of the two documents."""
    if notification and notification["Version"] not in VERSIONS:
        raise invalid(f"Version must be {' or '.join(VERSIONS)}.")


def send_test_event(account: Account, params: Values) -> Values:
    check_notification(params["Notification"])
    happened = event(params["TestEventType"], account.now, account.new_id(), account.new_id(), account.new_id())
    account.outbox.append(message(params["Notification"]["Version"], account.new_id(), [happened]))
    return {}
