"""A requester who uploads data sets in pieces, imports them and fetches exports, each time from another host."""

import io
import json
import random
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from simulation.scenes.write import write_source
from studies.faults.crew import REST_SECONDS, TIMEOUT, code_of
from studies.hosts.stack import Hosts
from tests.support.services import PATIENCE

PIECES = 5
"""The pieces of each file, at least: they reach different hosts."""
IMAGES = 3
AGAIN = (429, 502, 503, 504)
FORMAT = "flickr30k-entities"
PLAIN_BYTES = "application/octet-stream"


class CarrierError(Exception):
    """Something that no fault excuses."""


class Carrier(threading.Thread):
    """The thread of the requester: one data set after the other, as files and as a .zip file in turns."""

    def __init__(self, stack: Hosts, rng: random.Random) -> None:
        super().__init__(name="requester")
        self.stack, self.rng = stack, rng
        self.over, self.last = threading.Event(), threading.Event()
        self.done: Counter[str] = Counter()
        self.unavailable: Counter[str] = Counter()
        self.problems: list[str] = []
        token: str = stack.inside("token", "carrier")
        self.http = httpx.Client(headers={"Authorization": f"Token {token}"}, timeout=TIMEOUT, trust_env=False)

    def run(self) -> None:
        number = 0
        with self.http:
            while not self.over.is_set() and not (self.last.is_set() and number):
                number += 1
                try:
                    self._carry(f"carried-{number}", packed=number % 2 == 0)
                except CarrierError as error:
                    if not self.over.is_set():
                        self.problems.append(f"carried-{number}: {error}")
                        self.over.wait(REST_SECONDS)

    def finish(self) -> None:
        """Let the present data set be the last one, and wait for its end."""
        self.last.set()
        self.join(PATIENCE * 3)

    def _carry(self, name: str, *, packed: bool) -> None:
        source = self.stack.folder / name
        write_source(source, 500 + self.rng.randrange(1000), IMAGES)
        files = dict(_packed(source) if packed else _files(source))
        project = f"projects/{name}/"
        self._call("POST", "projects/", json={"name": name, "title": name}, fine=(201, 409))
        for path, data in files.items():
            self._upload(project, path, data)
        self.done["files in pieces"] += len(files)
        run = self._call("POST", f"{project}imports/", json={}, fine=(201, 409))
        found = self._until(lambda: self._imported(project, run.get("id")))
        if found["state"] != "done" or found["images"] + found["already_there"] != IMAGES:
            told = {key: found[key] for key in ("state", "images", "already_there", "left_out", "problem")}
            raise CarrierError(f"the import of {'a .zip file' if packed else 'files'} ended as {told}")
        self.done["imports"] += 1
        self._export(project, source)

    def _imported(self, project: str, number: int | None) -> dict[str, Any] | None:
        """Return the run once it has ended. Whoever did not hear the answer asks for the newest one."""
        if number is None:
            runs = self._call("GET", f"{project}imports/")
            number = runs[0]["id"]
        run = self._call("GET", f"{project}imports/{number}/")
        if run["state"] == "failed" and self._resumes(project, run):
            return None
        return run if run["state"] in ("done", "failed", "cancelled") else None

    def _resumes(self, project: str, run: dict[str, Any]) -> bool:
        """Resume a run that failed because a server was out of reach, as a person would."""
        if "the bucket" not in run["problem"]:
            return False
        self._call("POST", f"{project}imports/{run['id']}/", json={"wish": "resume"}, fine=(200, 409))
        self.done["imports resumed"] += 1
        return True

    def _upload(self, project: str, path: str, data: bytes) -> None:
        """Send a file in pieces, each to another host, from where the service says that it has come to."""
        at, size = 0, max(1, len(data) // PIECES)
        while at < len(data):
            where = {"path": path, "offset": str(at), "size": str(len(data))}
            piece = {"params": where, "content": data[at : at + size], "headers": {"Content-Type": PLAIN_BYTES}}
            told = self._call("POST", f"{project}files/", fine=(200, 409), **piece)
            if told.get("complete"):
                return
            if told["received"] < at:
                raise CarrierError(f"{path} has lost {at - told['received']} bytes that were acknowledged")
            at = told["received"]

    def _export(self, project: str, source: Path) -> None:
        asked = self._call("POST", f"{project}exports/", json={"format": FORMAT}, fine=(200, 202))
        address = f"{project}exports/{FORMAT}/{asked['record']}/"

        def there() -> dict[str, Any] | None:
            found = self._call("GET", address, fine=(200, 202))
            if found["state"] == "failed":
                self._call("POST", f"{project}exports/", json={"format": FORMAT}, fine=(200, 202))
                self.done["exports asked for again"] += 1
            return found if found["file"] else None

        self._until(there)
        archive = self._fetch(f"{address}file/")
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            texts = [one for one in packed.namelist() if "/Sentences/" in one and one.endswith(".txt")]
        if len(texts) != IMAGES:
            raise CarrierError(f"the export holds {len(texts)} images instead of {IMAGES}")
        self.done["exports fetched"] += 1

    def _until(self, found: Any) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and not self.over.is_set():
            if (told := found()) is not None:
                return dict(told)
            self.over.wait(1.0)
        raise CarrierError(f"nothing came of it within {PATIENCE:g} s")

    def _fetch(self, path: str) -> bytes:
        """Return a file: the host redirects to the bucket, which wants no token of ours."""
        answer = self._answer("GET", path, {}, (302,))
        found = httpx.get(answer.headers["Location"], timeout=TIMEOUT, trust_env=False)
        if found.status_code != 200:
            raise CarrierError(f"the bucket answered {found.status_code}: {found.text[:200]}")
        return found.content

    def _call(self, method: str, path: str, *, fine: tuple[int, ...] = (200,), **more: Any) -> Any:
        return json.loads(self._answer(method, path, more, fine).content or "{}")

    def _answer(self, method: str, path: str, more: dict[str, Any], fine: tuple[int, ...]) -> httpx.Response:
        """Send a request to one host after the other until one answers."""
        end = time.monotonic() + PATIENCE
        last = "no answer"
        while time.monotonic() < end and not self.over.is_set():
            host = self.rng.choice(self.stack.web)
            try:
                answer = self.http.request(method, f"{self.stack.address(host)}/api/v1/requester/{path}", **more)
            except httpx.TransportError as error:
                last = type(error).__name__
                continue
            if answer.status_code in fine:
                return answer
            last = f"{answer.status_code} {answer.text[:300]}"
            if answer.status_code not in AGAIN:
                break
            self.unavailable[code_of(answer) or f"unknown {answer.status_code}"] += 1
            if answer.status_code != 429 and not code_of(answer):
                break
            self.over.wait(REST_SECONDS / 2)
        raise CarrierError(f"{method} {path} was answered {last}")


def _files(source: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(source.rglob("*")):
        if file.is_file():
            yield file.relative_to(source).as_posix(), file.read_bytes()


def _packed(source: Path) -> Iterator[tuple[str, bytes]]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as packed:
        for path, data in _files(source):
            packed.writestr(path, data)
    yield "source.zip", whole.getvalue()
