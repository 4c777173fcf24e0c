"""/hooks/: the secret of a workspace, subscriptions and their confirmation."""

import secrets
from urllib.parse import urlsplit

from tests.twins.prolific.account import EVENT_TYPES, Account, Subscription, found, new_id
from tests.twins.prolific.wire import Json, Refusal, Reply, Request, listed

OF_THIS_MACHINE = {"127.0.0.1", "localhost"}


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
    return listed(request, [_subscription(one) for one in account.hooks.subscriptions.values() if one.enabled])


def confirm_subscription(account: Account, request: Request, key: str) -> Reply:
    row = found(account.hooks.subscriptions, key, "subscription")
    (given,) = request.need("secret")
    if not secrets.compare_digest(str(given), row.handshake):
        raise Refusal({"secret": ["This is not the secret of the X-Hook-Secret header."]})
    row.confirmed = True
    return Reply(200, _subscription(row))


def delete_subscription(account: Account, request: Request, key: str) -> Reply:
    found(account.hooks.subscriptions, key, "subscription")
    del account.hooks.subscriptions[key]
    return Reply(204)


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
    said = {"id": row.id, "event_type": row.event_type, "target_url": row.target_url}
    return said | {"is_enabled": True, "workspace_id": row.workspace}
