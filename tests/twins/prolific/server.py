"""The HTTP server: reads a call, lets it meet its fault, checks the token, answers by the function of its address."""

import json
import re
import secrets
from collections.abc import Callable
from http.cookies import SimpleCookie
from threading import RLock
from urllib.parse import parse_qsl, urlsplit

from tests.support import web_server
from tests.twins.faults import Faults
from tests.twins.prolific import groups, hooks, payments, recruiting, signing, studies, submissions
from tests.twins.prolific.account import Account
from tests.twins.prolific.description import Exchange
from tests.twins.prolific.recruiting import COOKIE, expire
from tests.twins.prolific.wire import Json, Refusal, Reply, Request

Routes = list[tuple[str, str, Callable[..., Reply]]]
API: Routes = [
    ("GET", "/workspaces/{}/balance/", payments.balance),
    ("POST", "/studies/", studies.create_study),
    ("GET", "/studies/", studies.list_studies),
    ("POST", "/study-cost-calculator/", studies.calculate_cost),
    ("POST", "/studies/predicted-recruitment-time/", studies.predict_time),
    ("GET", "/studies/{}/predicted-recruitment-time/", studies.predict_time_of),
    ("GET", "/reward-recommendations/", payments.recommend_rewards),
    ("GET", "/studies/{}/", studies.show_study),
    ("DELETE", "/studies/{}/", studies.delete_study),
    ("POST", "/studies/{}/transition/", studies.transition_study),
    ("POST", "/studies/{}/test-study", studies.create_test_study),
    ("POST", "/researchers/participants/", studies.create_test_participant),
    ("GET", "/studies/{}/cost/", payments.cost),
    ("GET", "/studies/{}/submissions/", submissions.list_of_study),
    ("GET", "/studies/{}/submissions/counts/", submissions.count_of_study),
    ("POST", "/submissions/bonus-payments/", payments.set_up_bonuses),
    ("GET", "/submissions/{}/", submissions.show_submission),
    ("POST", "/submissions/{}/transition/", submissions.transition_submission),
    ("POST", "/submissions/{}/request-return/", submissions.request_return),
    ("POST", "/bulk-bonus-payments/{}/pay/", payments.pay_bonuses),
    ("POST", "/participant-groups/", groups.create_group),
    ("GET", "/participant-groups/", groups.list_groups),
    ("POST", "/participant-groups/{}/participants/", groups.add_members),
    ("DELETE", "/participant-groups/{}/participants/", groups.remove_members),
    ("POST", "/hooks/secrets/", hooks.create_secret),
    ("GET", "/hooks/secrets/", hooks.list_secrets),
    ("POST", "/hooks/subscriptions/", hooks.create_subscription),
    ("GET", "/hooks/subscriptions/", hooks.list_subscriptions),
    ("POST", "/hooks/subscriptions/{}/", hooks.confirm_subscription),
    ("DELETE", "/hooks/subscriptions/{}/", hooks.delete_subscription),
]
PAGES: Routes = [
    ("GET", "/participant/{}/studies/", recruiting.list_page),
    ("GET", "/participant/{}/studies/{}/", recruiting.enter_page),
    ("GET", "/submissions/complete", recruiting.complete_page),
]
PREFIX = "/api/v1"
KEYS = "/.well-known/study/jwks.json"


def answer(routes: Routes, account: Account, request: Request) -> Reply:
    """Raises Refusal: by the function found, or 404."""
    for method, pattern, function in routes:
        match = re.fullmatch(pattern.replace("{}", "([^/]+)"), request.path)
        if match and method == request.method:
            return function(account, request, *match.groups())
    raise Refusal(f"There is no {request.method} {request.path}.", 404)


class Server(web_server.Server):
    """One account behind a free port of 127.0.0.1. One call at a time takes effect."""

    def __init__(self, account: Account) -> None:
        super().__init__(Handler)
        self.account, self.faults, self.lock = account, Faults(), RLock()
        self.exchanges: list[Exchange] = []


class Handler(web_server.Handler):
    server: Server

    def do_GET(self) -> None:
        path, sent = urlsplit(self.path).path, self.body()
        if path == KEYS:
            reply = signing.show_keys(self.server.account, Request("GET", path, {}, {}, self.server.url))
            self.server.exchanges.append(Exchange("GET", path, self._query(), sent, reply.status, reply.body))
            self._reply(reply)
            return
        if not path.startswith(PREFIX + "/"):
            self._reply(self._answer(path, sent, PAGES))
            return
        path = path.removeprefix(PREFIX)
        fault = self.server.faults.take(f"{self.command} {path}")
        unlucky = fault is not None and fault.how == "before"
        reply = Reply(503) if unlucky else self._answer(path, sent, API)
        self.server.exchanges.append(Exchange(self.command, path, self._query(), sent, reply.status, reply.body))
        if fault is None:
            self._reply(reply)
            return
        if fault.kind == "500":
            self._reply(Refusal("Something went wrong.", 500).reply())
        elif fault.kind == "throttle":
            refused = Refusal("Too many requests.", 429).reply()
            self._reply(Reply(429, refused.body, {"Retry-After": str(fault.retry_after)}))
        elif fault.kind == "timeout":
            self.wait_for_the_caller_to_give_up()

    do_POST = do_DELETE = do_GET

    def _answer(self, path: str, sent: bytes, routes: Routes) -> Reply:
        try:
            if routes is API:
                self._check_token()
            request = Request(self.command, path, self._query(), _body(sent, routes), self.server.url)
            with self.server.lock:
                expire(self.server.account)
                return answer(routes, self.server.account, request)
        except Refusal as refused:
            return refused.reply()

    def _check_token(self) -> None:
        given = self.headers.get("Authorization", "")
        if not secrets.compare_digest(given.encode(), f"Token {self.server.account.token}".encode()):
            raise Refusal("Authentication credentials are missing or wrong.", 401)

    def _query(self) -> dict[str, str]:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get(COOKIE)
        signed_in = {COOKIE: cookie.value} if cookie else {}
        return dict(parse_qsl(urlsplit(self.path).query)) | signed_in

    def _reply(self, reply: Reply) -> None:
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send(reply.status, data, {"Content-Type": "application/json", **reply.headers})


def _body(sent: bytes, routes: Routes) -> Json:
    if not sent or routes is not API:
        return {}
    try:
        body = json.loads(sent)
    except ValueError as error:
        raise Refusal("The body is no JSON.") from error
    if not isinstance(body, dict):
        raise Refusal("The body must be an object.")
    return body
