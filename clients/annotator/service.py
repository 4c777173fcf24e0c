"""The service's API: questions and answers for programs, phrases and predictions for requesters, and pictures."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote, urljoin

import httpx

from clients.annotator import calls
from clients.annotator.calls import FIRST_TRIES, TRIES, UnreadableError, retried, seconds_in
from clients.annotator.errors import NoPicture, ServiceError

PASSING = (429, 500, 502, 503, 504)
QUIET_SECONDS, WHOLE_SECONDS = 60.0, 300.0
"""The time in which a part of a reply must come, and that for all of it."""
MOST_BYTES = 256 << 20
"""The most bytes of a reply: more than a page of phrases or a picture has."""
NEW_KEY = "the key in ANNOTATOR_KEY: make another by the command make_api_key"
NEW_TOKEN = "the token in CHAINBOX_TOKEN: make another under Tokens"


class _Calls:
    """Calls to a service with a key. Each raises ServiceError if the service refuses or fails."""

    def __init__(
        self, address: str, project: str, authorization: str, new_key: str, sleep: Callable[[float], object]
    ) -> None:
        """`new_key`: the words about a key that is refused."""
        self.address, self.project, self._sleep = address.rstrip("/") + "/", project, sleep
        self._client = calls.client(headers={"Authorization": authorization}, timeout=QUIET_SECONDS)
        # A store of pictures may be another server, to which the service leads.
        self._pictures = calls.client(timeout=QUIET_SECONDS, follow_redirects=True)
        self._tries, self._new_key = FIRST_TRIES, new_key

    def close(self) -> None:
        self._client.close()
        self._pictures.close()

    def load(self, address: str) -> bytes:
        """Return a picture. Its address is signed, so that no key is sent. Raises NoPicture if it is not there."""
        try:
            return self._tried(self._pictures, "GET", urljoin(self.address, address)).content
        except ServiceError as error:
            if error.status in (403, 404, 410):
                raise NoPicture("a picture that is not there") from error
            raise

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        address = f"{self.address}api/v1/{path}"
        answer = self._tried(self._client, method, address, content=data, headers=headers)
        try:
            return answer.json()
        except (ValueError, RecursionError) as error:
            raise ServiceError(f"{address} answers, but not as Chainbox does: see --service.") from error

    def _tried(self, client: httpx.Client, method: str, address: str, **sent: Any) -> httpx.Response:
        def call() -> httpx.Response:
            request = client.build_request(method, address, **sent)
            return calls.send(client, request, seconds=WHOLE_SECONDS, most_bytes=MOST_BYTES).raise_for_status()

        try:
            answer = retried(call, _wait_for, sleep=self._sleep, tries=self._tries)
        except httpx.HTTPStatusError as error:
            raise _refusal(error.response, self._new_key) from error
        except UnreadableError as error:
            raise ServiceError(f"{self.address} sent {error}: see --service.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ServiceError(
                f"The service at {self.address} cannot be reached ({error}; tried {self._tries} times): see --service, "
                "and go on by the same command."
            ) from error
        self._tries = TRIES
        return answer


class Service(_Calls):
    """A service, called with the key of a program.

    Calls may be repeated: asking returns what the program holds, and the first submission counts.
    """

    def __init__(self, address: str, project: str, key: str, *, sleep: Callable[[float], object] = time.sleep) -> None:
        """`address`: of the service, such as https://chainbox.example.org. `sleep`: as `retried` takes it."""
        super().__init__(address, project, f"Key {key}", NEW_KEY, sleep)

    def tasks(self) -> list[dict[str, Any]]:
        """Return the tasks of the program, each with `task`, `state`, `open` and `message`."""
        return list(self._call("GET", f"projects/{quote(self.project)}/tasks/"))

    def examples(self, task: str) -> list[dict[str, Any]]:
        """Return questions with `answer`, `explanation` and, in box drawing, all `missing` boxes."""
        return list(self._call("GET", f"projects/{quote(self.project)}/examples/?task={task}")["questions"])

    def ask(self, task: str, *, ahead_of: str = "") -> tuple[dict[str, Any] | None, str]:
        """Return the assignment that is held or given, or None and why there is none.

        `ahead_of`: the token of the one that is still answered: the one after it is returned.
        """
        body = {"task": task} | ({"ahead_of": ahead_of} if ahead_of else {})
        work = self._call("POST", f"projects/{quote(self.project)}/assignments/", body)
        return work["assignment"], work["message"]

    def submit(self, token: str, answers: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        """Submit an entry per question, in order, and return the receipt."""
        return dict(self._call("POST", f"assignments/{token}/submit/", {"answers": list(answers)}))

    def keep(self, token: str) -> float:
        """Extend the lease and return the seconds that are left; 0.0 if it has ended."""
        return float(self._call("POST", f"assignments/{token}/heartbeat/")["seconds_left"])

    def give_back(self, token: str) -> None:
        """Return an assignment without answers."""
        self._call("POST", f"assignments/{token}/return/")


class Requester(_Calls):
    """A service, called with the token of a requester."""

    def __init__(
        self, address: str, project: str, token: str, *, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        super().__init__(address, project, f"Token {token}", NEW_TOKEN, sleep)

    def images(self) -> Iterator[dict[str, Any]]:
        """Yield the images in import order: name, state, addresses of the picture, size, captions and phrases."""
        after: int | None = 0
        while after is not None:
            found = self._call("GET", f"requester/projects/{quote(self.project)}/phrases/?after={after}")
            yield from found["images"]
            after = found["after"]

    def send_predictions(self, program: str, rows: Sequence[dict[str, Any]]) -> dict[str, int]:
        """Send predictions, and return counts of images, boxes, chains, unchanged and unknown images, and bad boxes.

        Those of an image replace what the program predicted for it before, so that the call may be repeated.
        """
        body = {"program": program, "predictions": list(rows)}
        kept = self._call("POST", f"requester/projects/{quote(self.project)}/predictions/", body)
        counted = {name: value for name, value in kept.items() if name not in ("entered", "are_used")}
        return {name: len(value) if isinstance(value, list) else value for name, value in counted.items()}


def _wait_for(error: Exception) -> float | None:
    if isinstance(error, httpx.HTTPStatusError):
        passing = error.response.status_code in PASSING
        return seconds_in(error.response.headers.get("Retry-After")) if passing else None
    return 0.0 if isinstance(error, httpx.TransportError) else None


def _refusal(answer: httpx.Response, new_key: str) -> ServiceError:
    if answer.has_redirect_location:
        place = f"{answer.request.url} leads to {answer.headers['Location']}"
        return ServiceError(f"{place}: name the final address by --service.", status=answer.status_code)
    try:
        told = answer.json()
        message, code = str(told["message"]), str(told["code"])
    except (ValueError, TypeError, KeyError, RecursionError):
        message, code = f"{answer.request.url} answers {answer.status_code}: see --service.", ""
    if answer.status_code == 401:
        message = f"The service refuses {new_key}."
    return ServiceError(message, status=answer.status_code, code=code)
