"""A researcher's client and a study, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import httpx

from tests.support.services import PATIENCE
from tests.twins.prolific.twin import ProlificTwin

REVIEW = "LOOK1"
"""The code of the sample study."""
REASON = "Every answer of this submission was the same word, and the three questions that check attention failed too."


class Researcher:
    """Calls the API with the token. Each call gives the answer as it came."""

    def __init__(self, twin: ProlificTwin) -> None:
        self.twin = twin
        self._client = httpx.Client(headers={"Authorization": f"Token {twin.token}"}, timeout=PATIENCE)

    def close(self) -> None:
        self._client.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        return self._client.request(method, self.twin.url + path, json=body, params=query)

    def done(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The JSON of a call that must succeed."""
        answer = self.call(method, path, body, **query)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def refused(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """The `detail` of a call that must be refused with 400."""
        answer = self.call(method, path, body, **query)
        assert answer.status_code == 400, answer.text
        return answer.json()["error"]["detail"]

    def live_study(self, **changes: Any) -> str:
        """The id of a published study."""
        made = self.done("POST", "/studies/", study(**changes))
        self.done("POST", f"/studies/{made['id']}/transition/", {"action": "PUBLISH"})
        return str(made["id"])

    def status(self, study: str) -> str:
        return str(self.done("GET", f"/studies/{study}/")["status"])

    def balance(self) -> tuple[int, int]:
        """In all, and available."""
        money = self.done("GET", f"/workspaces/{self.twin.workspace}/balance/")
        return money["total_balance"], money["available_balance"]


@contextmanager
def a_researcher(*, pays_lists_again: bool = False) -> Iterator[Researcher]:
    """A client of a running twin with 100 pounds and a fee of 30 percent."""
    with ProlificTwin(balance=10_000, fee_percent=Decimal(30), pays_lists_again=pays_lists_again) as twin:
        client = Researcher(twin)
        try:
            yield client
        finally:
            client.close()


def study(**changes: Any) -> dict[str, Any]:
    """The fields of a draft with two places, 5 minutes, 100 pence."""
    return {
        "name": "Boxes",
        "description": "Draw boxes.",
        "external_study_url": "https://chainbox.example/join?pid={{%PROLIFIC_PID%}}&study={{%STUDY_ID%}}&s={{%SESSION_ID%}}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {"code": REVIEW, "code_type": "COMPLETED", "actions": [{"action": "MANUALLY_REVIEW"}]},
        ],
        "total_available_places": 2,
        "estimated_completion_time": 5,
        "reward": 100,
    } | changes


def waiting(twin: ProlificTwin, study_id: str) -> str:
    """The submission of someone new, which waits for review."""
    someone = twin.participant()
    someone.start(study_id)
    return someone.complete(REVIEW).id


def bonuses(study_id: str, line: str) -> dict[str, str]:
    return {"study_id": study_id, "csv_bonuses": line}


def bonus_list(twin: ProlificTwin, researcher: Researcher) -> tuple[str, str]:
    """A submission that is to get 4.25, and the path of the call that pays it."""
    key = researcher.live_study()
    row = waiting(twin, key)
    made = researcher.done("POST", "/submissions/bonus-payments/", bonuses(key, f"{row},4.25\n"))
    return row, f"/bulk-bonus-payments/{made['id']}/pay/"
