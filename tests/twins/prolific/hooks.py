"""/hooks/: the secret of a workspace, subscriptions and their confirmation, and what was sent."""

import secrets
from urllib.parse import urlsplit

from tests.twins.prolific.account import Account, found, new_id
from tests.twins.prolific.clock import written
from tests.twins.prolific.hook_store import EVENT_TYPES, Event, Subscription
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

EVENTS_PAGE = 100
OF_THIS_MACHINE = {"127.0.0.1", "localhost"}


def event_types(account: Account, request: Request) -> Reply:
    return Reply(200, {"results": [{"event_type": one, "description": why} for one, why in EVENT_TYPES.items()]})


def create_secret(account: Account, request: Request) -> Reply:
    _check_workspace(account, *request.need("workspace_id"))
    account.hooks.secret_id, account.hooks.secret = new_id(), secrets.token_urlsafe(32)
    return Reply(201, _secret(account))


def list_secrets(account: Account, request: Request) -> Reply:
    _check_workspace(account, request.query.get("workspace_id", ""))
    return Reply(200, {"results": [_secret(account)] if account.hooks.secret else []})


def create_subscription(account: Account, request: Request) -> Reply:
    event_type, target, workspace = request.need("event_type", "target_url", "workspace_id")
    _check_workspace(account, workspace)
    _check_target(target)
    if event_type not in EVENT_TYPES:
        raise Refusal({"event_type": [f"There is no event type {event_type!r}."]})
    if not account.hooks.secret:
        raise Refusal("Create a secret for the workspace first.")
    made = Subscription(new_id(), event_type, target, workspace, handshake=secrets.token_urlsafe(24))
    account.hooks.subscriptions[made.id] = made
    return Reply(201, _subscription(made), {"X-Hook-Secret": made.handshake})


def list_subscriptions(account: Account, request: Request) -> Reply:
    enabled = request.query.get("is_enabled", "true").lower() != "false"
    rows = [_subscription(one) for one in account.hooks.subscriptions.values() if one.enabled == enabled]
    return listed(request, rows)


def show_subscription(account: Account, request: Request, key: str) -> Reply:
    return Reply(200, _subscription(found(account.hooks.subscriptions, key, "subscription")))


def confirm_subscription(account: Account, request: Request, key: str) -> Reply:
    row = found(account.hooks.subscriptions, key, "subscription")
    (given,) = request.need("secret")
    if not secrets.compare_digest(str(given), row.handshake):
        raise Refusal({"secret": ["This is not the secret of the X-Hook-Secret header."]})
    row.confirmed = True
    return Reply(200, _subscription(row))


def update_subscription(account: Account, request: Request, key: str) -> Reply:
    row = found(account.hooks.subscriptions, key, "subscription")
    if "target_url" in request.body:
        _check_target(request.body["target_url"])
        row.target_url = request.body["target_url"]
    row.enabled = bool(request.body.get("is_enabled", row.enabled))
    return Reply(200, _subscription(row))


def delete_subscription(account: Account, request: Request, key: str) -> Reply:
    found(account.hooks.subscriptions, key, "subscription")
    del account.hooks.subscriptions[key]
    return Reply(204)


def list_events(account: Account, request: Request, key: str) -> Reply:
    row = found(account.hooks.subscriptions, key, "subscription")
    return listed(request, [_event(one) for one in account.hooks.events if one.subscription is row], EVENTS_PAGE)


def _check_workspace(account: Account, workspace: str) -> None:
    if workspace != account.workspace:
        raise Refusal({"workspace_id": ["This is not one of your workspaces."]})


def _check_target(target: str) -> None:
    address = urlsplit(target)
    # The platform takes https only; a test's own receiver has no certificate.
    if address.scheme != "https" and address.hostname not in OF_THIS_MACHINE:
        raise Refusal({"target_url": ["The address must begin with https://."]})


def _secret(account: Account) -> Json:
    return {"id": account.hooks.secret_id, "value": account.hooks.secret, "workspace_id": account.workspace}


def _subscription(row: Subscription) -> Json:
    return {
        "id": row.id,
        "event_type": row.event_type,
        "target_url": row.target_url,
        "is_enabled": row.enabled,
        "workspace_id": row.workspace,
    }


def _event(event: Event) -> Json:
    return {
        "id": event.id,
        "datetime_created": written(event.happened),
        "datetime_updated": written(event.happened),
        "event_type": event.payload["event_type"],
        "resource_id": event.payload["resource_id"],
        "status": event.status,
        "target_url": event.subscription.target_url,
        "payload": event.payload,
    }
