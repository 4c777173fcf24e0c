"""The function that answers each address."""

import re
from collections.abc import Callable

from tests.twins.prolific import bonuses, groups, hooks, pages, studies, submissions, users
from tests.twins.prolific.account import Account
from tests.twins.prolific.wire import Refusal, Reply, Request

API: list[tuple[str, str, Callable[..., Reply]]] = [
    ("GET", "/users/me/", users.me),
    ("GET", "/workspaces/{}/balance/", users.balance),
    ("POST", "/studies/", studies.create_study),
    ("GET", "/studies/", studies.list_studies),
    ("GET", "/studies/{}/", studies.show_study),
    ("PATCH", "/studies/{}/", studies.update_study),
    ("DELETE", "/studies/{}/", studies.delete_study),
    ("POST", "/studies/{}/transition/", studies.transition_study),
    ("GET", "/studies/{}/submissions/", submissions.list_of_study),
    ("GET", "/studies/{}/submissions/counts/", submissions.count_of_study),
    ("GET", "/submissions/", submissions.list_submissions),
    ("POST", "/submissions/bonus-payments/", bonuses.set_up_bonuses),
    ("POST", "/submissions/bulk-approve/", submissions.approve_many),
    ("GET", "/submissions/{}/", submissions.show_submission),
    ("POST", "/submissions/{}/transition/", submissions.transition_submission),
    ("POST", "/submissions/{}/request-return/", submissions.request_return),
    ("POST", "/bulk-bonus-payments/{}/pay/", bonuses.pay_bonuses),
    ("POST", "/participant-groups/", groups.create_group),
    ("GET", "/participant-groups/", groups.list_groups),
    ("GET", "/participant-groups/{}/", groups.show_group),
    ("DELETE", "/participant-groups/{}/", groups.delete_group),
    ("GET", "/participant-groups/{}/participants/", groups.list_members),
    ("POST", "/participant-groups/{}/participants/", groups.add_members),
    ("DELETE", "/participant-groups/{}/participants/", groups.remove_members),
    ("GET", "/hooks/event-types/", hooks.event_types),
    ("POST", "/hooks/secrets/", hooks.create_secret),
    ("GET", "/hooks/secrets/", hooks.list_secrets),
    ("POST", "/hooks/subscriptions/", hooks.create_subscription),
    ("GET", "/hooks/subscriptions/", hooks.list_subscriptions),
    ("GET", "/hooks/subscriptions/{}/", hooks.show_subscription),
    ("POST", "/hooks/subscriptions/{}/", hooks.confirm_subscription),
    ("PATCH", "/hooks/subscriptions/{}/", hooks.update_subscription),
    ("DELETE", "/hooks/subscriptions/{}/", hooks.delete_subscription),
    ("GET", "/hooks/subscriptions/{}/events/", hooks.list_events),
]
PAGES: list[tuple[str, str, Callable[..., Reply]]] = [
    ("GET", "/participant/{}/studies/", pages.list_page),
    ("GET", "/participant/{}/studies/{}/", pages.enter_page),
    ("POST", "/participant/{}/return/", pages.return_page),
    ("GET", "/submissions/complete", pages.complete_page),
]


def answer(routes: list[tuple[str, str, Callable[..., Reply]]], account: Account, request: Request) -> Reply:
    """Raises Refusal: by the function found, or 404."""
    for method, pattern, function in routes:
        match = re.fullmatch(pattern.replace("{}", "([^/]+)"), request.path)
        if match and method == request.method:
            return function(account, request, *match.groups())
    raise Refusal(f"There is no {request.method} {request.path}.", 404)
