"""A client of Chainbox's API for requesters: one file, Python 3.11's standard library alone.

    from chainbox_client import Chainbox

    service = Chainbox("http://127.0.0.1:8000", token="…")
    project = service.create_project("street-scenes", title="Street scenes")
    print(project.progress()["finished_share"])

Every call raises `Refused` if the service says no, with its code, its status and its words. Calls that only read are
tried again while the service is busy (503) or says to wait (429).
"""

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

TRIES = 5
LOOK_SECONDS, LONGEST_SECONDS = 2.0, 600.0
"""The time between two looks, and the longest wait that a service may ask for."""
ROWS = 500
Json = dict[str, Any]
"""An object of the API; docs/reference/api.md names the fields of each."""


class Refused(Exception):  # reads well in an except clause
    """The service refused a call. `status`: of HTTP; `code`: one word for programs; the message is for people.

    `more`: what else the answer holds.
    """

    def __init__(self, status: int, code: str, message: str, more: Json | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.more = status, code, more or {}


class Chainbox:
    """A service, called with one requester's token."""

    def __init__(self, address: str, token: str, *, timeout: float = 60.0) -> None:
        """`address`: of the service, with or without a slash at the end; `timeout`: seconds that one call may take."""
        self.address, self._token, self._timeout = address.rstrip("/"), token, timeout

    def projects(self) -> list[Json]:
        """Return name, title, state, number of images and time of making of each project that the token opens."""
        return list(self.call("GET", "projects/"))

    def project(self, name: str) -> "Project":
        """Return the project of this name. No call is made yet."""
        return Project(self, name)

    def create_project(self, name: str, *, title: str = "", data_card: dict[str, str] | None = None) -> "Project":
        """Create a draft. `name`: letters, digits, - and _. Raises Refused with the code `taken` if there is one.

        `data_card`: what you tell of the data set, as `tell` takes it.
        """
        self.call("POST", "projects/", {"name": name, "title": title, "data_card": data_card or {}})
        return Project(self, name)

    def call(self, method: str, path: str, body: Any = None, /, **query: Any) -> Any:
        """Make one call below /api/v1/requester/ with JSON, or bytes, and return its JSON or None. Raises Refused."""
        with self._open(method, path, body, query) as answer:
            return json.load(answer) if answer.status != 204 else None

    def download(self, path: str, target: Path) -> None:
        """Write what the call returns to the file `target`, which appears when it is complete."""
        partial = target.with_name(target.name + ".partial")
        with self._open("GET", path, None, {}) as answer, partial.open("wb") as file:
            shutil.copyfileobj(answer, file)
        partial.replace(target)

    def _open(self, method: str, path: str, body: Any, query: Json) -> Any:
        address = f"{self.address}/api/v1/requester/{path}" + (f"?{urlencode(query)}" if query else "")
        plain = isinstance(body, bytes)
        data = body if plain or body is None else json.dumps(body).encode()
        kind = "application/octet-stream" if plain else "application/json"
        headers = {"Authorization": f"Token {self._token}", "Content-Type": kind}
        for left in reversed(range(TRIES)):
            try:
                return _OPENER.open(Request(address, data, headers, method=method), timeout=self._timeout)
            except HTTPError as error:
                refused = _refused(error)
                if method != "GET" or error.code not in (429, 503) or not left:
                    raise refused from error
                time.sleep(_seconds(error.headers.get("Retry-After")))
        raise AssertionError("the last try returns or raises")


@dataclass(frozen=True, slots=True)
class Project:
    """One project of a service."""

    service: Chainbox
    name: str

    def progress(self) -> Json:
        """Return the state, images by state, open questions and judgments by task, and the money in cents."""
        return dict(self._call("GET"))

    def start(self) -> None:
        """Let workers ask for questions; also resumes. Raises Refused with what is missing."""
        self._move("running")

    def pause(self) -> None:
        """Give no new questions. What workers have begun goes on."""
        self._move("paused")

    def finish(self) -> None:
        self._move("finished")

    def upload(self, source: Path) -> int:
        """Send a file, or every file of a folder under its path in it, and return the bytes sent.

        Files that are there are passed over, and begun ones go on: after an interruption, upload again.
        """
        there = self._call("GET", "files/")
        have = {file["path"]: file for file in there["files"]}
        root = source if source.is_dir() else source.parent
        files = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
        return sum(self._send(file, file.relative_to(root).as_posix(), have, there["piece_bytes"]) for file in files)

    def remove_files(self, path: str = "") -> None:
        """Remove an uploaded file; without `path` all of them."""
        self._call("DELETE", "files/", None, **({"path": path} if path else {}))

    def begin_import(
        self, source: str = "", *, use: str = "annotations", program: str = "", boxes: str = ""
    ) -> "ServiceRun":
        """Begin to import the uploaded files, or an allowed folder or address.

        `use` of known chains and boxes: annotations, gold, pre-annotations, or check. `program`: stands for the source;
        if it is empty, named after the source. `boxes`: their unit, pixels or shares of the picture, if they need one.
        """
        asked = {"source": source, "use": use, "program": program, "boxes": boxes}
        return ServiceRun(self, self._call("POST", "imports/", asked)["id"])

    def apply_types(self) -> "ServiceRun":
        """Begin to bring the phrases of all images of a draft to the present word lists."""
        return ServiceRun(self, self._call("POST", "phrase-types/", {})["id"])

    def import_items(self) -> "ServiceRun":
        return ServiceRun(self, self._call("POST", "items/", {})["id"])

    def make_corrected_set(self, source: str = "") -> "ServiceRun":
        """Begin to make the corrected set of a check, of the uploaded files or of an allowed folder or address."""
        return ServiceRun(self, self._call("POST", "corrected/", {"source": source})["id"])

    def copy(self, title: str, *, name: str = "", images: bool = True) -> "Project":
        """Make a draft with the settings and terms of this project. `images`: they are copied, too, by a run."""
        made = self._call("POST", "copies/", {"title": title, "name": name, "images": images})
        return Project(self.service, made["name"])

    def dry_run(self) -> "Project":
        """Begin a dry run, a scratch copy of some images, and return it; its run says how far it is."""
        return Project(self.service, self._call("POST", "dry-runs/", {})["project"])

    def delete_dry_run(self) -> None:
        self._call("DELETE", "dry-run/", {})

    def runs(self, operation: str = "") -> "list[ServiceRun]":
        """Return the newest runs of long work, the newest first. `operation`: those of one, such as begin_import."""
        return [ServiceRun(self, row["id"]) for row in self._call("GET", "runs/", operation=operation)]

    def votes(self, target: Path) -> None:
        """Write the votes of a survey to the file `target`, one JSON object a line."""
        self.service.download(f"projects/{quote(self.name)}/votes/", target)

    def changes(self, target: Path) -> None:
        """Write what a check has changed of a data set's labels to the file `target`, one JSON object a line."""
        self.service.download(f"projects/{quote(self.name)}/changes/", target)

    def begin_forecast(self, **assumed: Any) -> "ServiceRun":
        """Begin to forecast cost and quality by a simulated crowd. Raises Refused with the code `busy`.

        Of the result, `now` is the present settings, `ways` every way to ask: judgments, hours, cents and exact (share
        of exactly right chains, 0 to 1) have a value and the ends of its 90 % interval, low and high.
        """
        return ServiceRun(self, self._call("POST", "forecasts/", assumed)["id"])

    def measure(self, program: str) -> "ServiceRun":
        """Begin to measure a program by a simulated crowd. Raises Refused with the code `busy`."""
        return ServiceRun(self, self._call("POST", "measurements/", {"program": program})["id"])

    def begin_evaluation(
        self, step: str, *, scored: str = "", right: str = "", unfinished: bool = False
    ) -> "ServiceRun":
        """Begin a report by a step without files. `scored` and `right` are outcome, gold, program N or worker N."""
        asked = {"step": step, "scored": scored, "right": right, "unfinished": unfinished}
        return ServiceRun(self, self._call("POST", "evaluations/", asked)["id"])

    def phrases(self) -> Iterator[Json]:
        """Yield the images in import order: name, state, addresses of the picture, size, captions and phrases."""
        yield from self._rows("phrases/", "images", 0)

    def send_predictions(self, program: str, predictions: Sequence[Json], *, boxes: str = "") -> dict[str, int]:
        """Let workers judge boxes that a program predicts, and return counts of images, boxes, chains, unknown images.

        `predictions`: image, caption, phrase or words, boxes, chain. Give all rows of an image at once: they replace
        what the program predicted for the image before. `boxes`: their form; empty: left, top, right, bottom in pixels.
        """
        counts: dict[str, int] = {}
        for part in _by_image(predictions):
            kept = self._call("POST", "predictions/", {"program": program, "boxes": boxes, "predictions": part})
            for name, value in kept.items():
                if name not in ("entered", "are_used"):
                    counts[name] = counts.get(name, 0) + (len(value) if isinstance(value, list) else value)
        return counts

    def let_judge(self, program: str, *, aside: bool = False) -> None:
        """Let a program judge from the next answer on, or set it aside."""
        self._call("POST", "model-annotators/", {"program": program, "aside": aside})

    def note_price(self, program: str, price: float | None) -> None:
        """Note what 1,000 answers of a program cost, in the currency of the project; None: not known."""
        self._call("POST", "model-annotators/price/", {"program": program, "price": price})

    def name_family(self, program: str, family: str) -> None:
        """Name the family of a program: programs of one family count as one opinion until they err apart."""
        self._call("POST", "model-annotators/family/", {"program": program, "family": family})

    def programs(self) -> list[Json]:
        return list(self._call("GET", "predictions/"))

    def webhooks(self) -> list[Json]:
        return list(self._call("GET", "alert-channels/"))

    def add_webhook(self, url: str, kinds: list[str] | None = None) -> Json:
        """Add a webhook and return it with its `key`, which is shown only once. `kinds`: of alerts; None: all."""
        return dict(self._call("POST", "alert-channels/", {"url": url} | ({"kinds": kinds} if kinds else {})))

    def try_webhook(self, number: int) -> str:
        """Send a test to the webhook with this id, wait, and return why it was not taken, or an empty text."""
        told = self._call("POST", f"alert-channels/{number}/test/", {})
        while told["taken"] is None:
            time.sleep(LOOK_SECONDS)
            told = self._call("GET", f"alert-channels/{number}/test/")
        return str(told["problem"])

    def choose_alerts(self, number: int, kinds: list[str]) -> None:
        self._call("PATCH", f"alert-channels/{number}/", {"kinds": kinds})

    def mail_alerts(self, member: str) -> None:
        """Send a requester of the project, by the name of the account, every alert by mail."""
        self._call("POST", "alert-channels/mail/", {"member": member})

    def delete_webhook(self, number: int) -> None:
        self._call("DELETE", f"alert-channels/{number}/")

    def deliveries(self, *, after: int = 0) -> Iterator[Json]:
        """Yield the log of alerts that were sent or are due, oldest first, from the one after the id `after`."""
        yield from self._rows("deliveries/", "deliveries", after)

    def repeat_delivery(self, delivery: int) -> None:
        """Make a delivery that was given up, or that waits, due now."""
        self._call("POST", f"deliveries/{delivery}/", {})

    def settings(self) -> tuple[int, Json]:
        """Return the number of the settings' version and all settings by name."""
        found = self._call("GET", "settings/")
        return found["version"], found["values"]

    def change_settings(self, reason: str, *, based_on: int | None = None, **values: Any) -> int:
        """Change settings by name and return the new version. `based_on`: the version you read; None: the newest."""
        version = self.settings()[0] if based_on is None else based_on
        body = {"values": values, "reason": reason, "based_on": version}
        return int(self._call("PATCH", "settings/", body)["version"])

    def data_card(self) -> dict[str, str]:
        return dict(self._call("GET", "data-card/"))

    def tell(self, **texts: str) -> dict[str, str]:
        """Tell something of the data set for its card, and return all that you told. An empty text takes it back."""
        return dict(self._call("PATCH", "data-card/", texts))

    def known_questions(self) -> Json:
        """Return how many known questions each task has, how many it needs, and why newcomers cannot begin."""
        return dict(self._call("GET", "gold/"))

    def add_known_questions(self, **options: Any) -> Json:
        """Report on the known questions of each task. `options`: any of from_gold, tests, examples, tasks, seed."""
        return dict(self._call("POST", "gold/stock/", options))

    def use_imported_gold(self) -> str:
        return self._act("gold/imported/")

    def suggested_questions(self, most: int = 20) -> list[Json]:
        return list(self._call("GET", "gold/suggestions/", None, most=most))

    def promote_question(self, question: int, **values: Any) -> str:
        """Make a known question of a closed one. `values`: any of purpose, answer, explanation."""
        return self._act("gold/questions/", question=question, **values)

    def retire_question(self, question: int) -> None:
        self._call("DELETE", f"gold/questions/{question}/")

    def annotate_image(self, image: str, chains: list[Json], *, annotators: int = 1) -> Json:
        """Give your annotation of an image, of which known questions are made, and return `known_questions`.

        Each chain has `phrases` as [caption, first word, word after the last], and `boxes` or `non_visual`.
        """
        return dict(self._call("POST", "gold/", {"image": image, "chains": chains, "annotators": annotators}))

    def doubts(self, **filters: Any) -> Json:
        """Return the check of a data set, its most doubtful labels first. `filters`: any of skip, part, standing."""
        return dict(self._call("GET", "doubts/", None, **filters))

    def wrong_labels(self, most: int = 250) -> list[Json]:
        """Return the shares of wrong labels of a checked data set. `most`: of finished images that are weighed."""
        return list(self._call("GET", "wrong-labels/", None, most=most))

    def messages(self, *, unanswered: bool = False) -> list[Json]:
        """Return what workers wrote. `unanswered`: only what has no answer yet. `write_to_worker` answers it."""
        return list(self._call("GET", "messages/", None, **({"waiting": "true"} if unanswered else {})))

    def draw_images(self, count: int, *, annotators: int = 1) -> str:
        return self._act("gold/sample/", count=count, annotators=annotators)

    def gold_annotation(self, image: int) -> Json:
        return dict(self._call("GET", f"gold/sample/{image}/"))

    def save_gold_annotation(self, image: int, chains: list[Json], revision: int, *, finish: bool) -> Json:
        """Save your annotation of an image. `revision`: that of the sheet as you read it."""
        body = {"chains": chains, "revision": revision, "finish": finish}
        return dict(self._call("POST", f"gold/sample/{image}/", body))

    def workbench(self, image: int, *, chain: int | None = None) -> Json:
        """Return an image as the rules see it, with all that was said about it."""
        return dict(self._call("GET", f"review/{image}/", None, **({} if chain is None else {"chain": chain})))

    def preview_act(self, image: int, action: Json) -> Json:
        """Return what an act of an expert would change, and the `sequence` for `act_on_image`."""
        return dict(self._call("POST", f"review/{image}/preview/", {"action": action}))

    def act_on_image(self, image: int, action: Json, sequence: int, *, reason: str = "") -> Json:
        """Act as an expert on an image as `preview_act` showed it, and return its workbench."""
        return dict(self._call("POST", f"review/{image}/", {"action": action, "sequence": sequence, "reason": reason}))

    def phrase_sample(self, page: int = 0) -> Json:
        """Return a dozen images with their phrases as the present word lists have them."""
        return dict(self._call("GET", "phrase-types/sample/", page=page))

    def change_type(self, words: list[str], type: str) -> str:
        """Give the word that decides the type of a phrase another type in the word lists of a draft."""
        return self._act("phrase-types/words/", words=words, type=type)

    def mark_phrase(self, image: int, caption: int, start: int, end: int, **more: Any) -> Json:
        """Make words [start, end) of a caption one phrase before the work begins. `more`: any of remove, everywhere.

        With `everywhere` all captions with the same words are changed, a part of them a call, until `left` is 0.
        """
        return dict(self._call("POST", f"phrases/{image}/", {"caption": caption, "start": start, "end": end, **more}))

    def undo_phrase_edit(self) -> Json:
        return dict(self._call("POST", "phrases/undo/", {}))

    def dashboard(self) -> Json:
        return dict(self._call("GET", "dashboard/"))

    def results(self) -> Json:
        return dict(self._call("GET", "results/"))

    def remove_from_sample(self, image: int) -> None:
        self._call("DELETE", f"gold/sample/{image}/")

    def invite_workers(self, **terms: Any) -> str:
        """Make a link by which workers join, and return it. `terms`: any of trusted, tasks, most, days, note."""
        return str(self._call("POST", "invitations/", terms)["link"])

    def close_link(self, invitation: int) -> None:
        self._call("DELETE", f"invitations/{invitation}/")

    def members(self) -> list[Json]:
        return list(self._call("GET", "members/"))

    def invite_member(self, to: str, role: str = "viewer") -> str:
        return self._act("members/", to=to, role=role)

    def change_role(self, member: int, role: str) -> None:
        self._call("PATCH", f"members/{member}/", {"role": role})

    def remove_member(self, member: int) -> None:
        self._call("DELETE", f"members/{member}/")

    def withdraw_invitation(self, invitation: int) -> None:
        self._call("DELETE", f"members/invitations/{invitation}/")

    def workers(self) -> list[Json]:
        return list(self._call("GET", "workers/"))

    def decide_about_worker(self, worker: int, event: str, reason: str, **more: Any) -> str:
        """Suspend, bar, trust or reinstate a worker, who reads the reason. `more`: any of task, days, take_back."""
        return self._act(f"workers/{worker}/trust/", event=event, reason=reason, **more)

    def give_access(self, worker: int, tasks: list[str], *, trusted: bool = False) -> str:
        """Give a worker access to these tasks, and take it away from all others."""
        return self._act(f"workers/{worker}/access/", tasks=tasks, trusted=trusted)

    def record_payment(self, worker: int, amount: float, reason: str, **more: Any) -> str:
        """Record a payment that was made elsewhere. `more`: any of paid_on, reference."""
        return self._act(f"workers/{worker}/payments/", amount=amount, reason=reason, **more)

    def give_bonus(self, worker: int, amount: float, reason: str, *, reference: str = "") -> str:
        """Promise a bonus. Sent twice with the same reference, it is given once."""
        return self._act(f"workers/{worker}/bonuses/", amount=amount, reason=reason, reference=reference)

    def write_to_worker(self, worker: int, text: str, *, conversation: int | None = None) -> str:
        return self._act(f"workers/{worker}/messages/", text=text, conversation=conversation)

    def write_to_all(self, text: str) -> str:
        return self._act("workers/messages/", text=text)

    def dismiss_signal(self, worker: int, signal: int, note: str) -> str:
        return self._act(f"workers/{worker}/signals/{signal}/", note=note)

    def leave_out_answers(self, assignment: int, reason: str) -> str:
        return self._act(f"assignments/{assignment}/leave-out/", reason=reason)

    def refuse_pay(self, assignment: int, reason: str, *, cents: int | None = None) -> str:
        return self._act(f"assignments/{assignment}/refuse-pay/", reason=reason, cents=cents)

    def decide_session(self, session: int, decision: str, reason: str) -> str:
        return self._act(f"sessions/{session}/", decision=decision, reason=reason)

    def decide_payment(self, payment: int, decision: str) -> str:
        return self._act(f"payments/{payment}/", decision=decision)

    def recruiting_status(self, platform: str) -> Json:
        return dict(self._call("GET", f"recruiting/{platform}/"))

    def offer_cost(self, platform: str, **terms: Any) -> Json:
        """Return what work on these terms may cost on mturk, prolific, or by links, without offering it."""
        return dict(self._call("POST", f"recruiting/{platform}/cost/", terms))

    def try_offer(self, platform: str, **terms: Any) -> str:
        return self._act(f"recruiting/{platform}/trial/", **terms)

    def publish(self, platform: str, total_cents: int, **terms: Any) -> str:
        """Offer the work. `total_cents`: what `offer_cost` returned for these terms."""
        return self._act(f"recruiting/{platform}/", total_cents=total_cents, **terms)

    def withdraw(self, platform: str) -> str:
        return str(self._call("DELETE", f"recruiting/{platform}/", {})["sentence"])

    def read_platform(self, platform: str) -> str:
        return self._act(f"recruiting/{platform}/read/")

    def due_payments(self, platform: str) -> Json:
        return dict(self._call("GET", f"recruiting/{platform}/due/"))

    def pay(self, platform: str, digest: str) -> str:
        """Settle exactly the payments that `due_payments` returned with this `digest`."""
        return self._act(f"recruiting/{platform}/due/", digest=digest)

    def reconcile(self, platform: str) -> Json:
        return dict(self._call("GET", f"recruiting/{platform}/ledger/"))

    def restore_pay(self, assignment: int, reason: str) -> str:
        return self._act(f"assignments/{assignment}/restore-pay/", reason=reason)

    def judgments(self, *, after: int = 0) -> Iterator[Json]:
        """Yield judgments of real questions, oldest first, from the one after the id `after`."""
        yield from self._rows("judgments/", "judgments", after)

    def ledger(self, *, after: int = 0) -> Iterator[Json]:
        """Yield entries of the ledger, oldest first, from the one after the id `after`."""
        yield from self._rows("ledger/", "entries", after)

    def export(self, export_format: str, target: Path, *, seconds: float = 3600.0, **options: Any) -> Path:
        """Write the archive of the finished images to the file `target` and return it.

        `options`: as the call takes them, such as pictures=True. Raises TimeoutError if the archive is not made in
        `seconds`, and Refused if the service could not make it.
        """
        until = time.monotonic() + seconds
        made = self._call("POST", "exports/", {"format": export_format, **options})
        kind, record = quote(made["format"]), quote(made["record"])
        while not made["file"]:
            if made["state"] == "failed":
                raise Refused(500, "failed", made["problem"])
            if time.monotonic() > until:
                raise TimeoutError(f"The archive was not made within {seconds:.0f} s: ask again later.")
            time.sleep(LOOK_SECONDS)
            made = self._call("GET", f"exports/{kind}/{record}/")
        self.service.download(f"projects/{quote(self.name)}/exports/{kind}/{record}/file/", target)
        return target

    def _send(self, file: Path, name: str, have: Json, piece: int) -> int:
        """Send what is missing of one file."""
        size, sent = file.stat().st_size, 0
        known = have.get(name)
        at = known["received"] if known and known["size"] == size else 0
        with file.open("rb") as data:
            while at < size:
                data.seek(at)
                part = data.read(piece)
                try:
                    at = self._call("POST", "files/", part, path=name, offset=at, size=size)["received"]
                    sent += len(part)
                except Refused as refused:
                    if refused.code != "out_of_place":
                        raise
                    at = size if refused.more["complete"] else refused.more["received"]
        return sent

    def _move(self, state: str) -> None:
        self._call("POST", "state/", {"state": state})

    def _act(self, path: str, /, **values: Any) -> str:
        """Do an operation and return its result as a sentence."""
        return str(self._call("POST", path, values)["sentence"])

    def _rows(self, path: str, field: str, after: int) -> Iterator[Json]:
        last: int | None = after
        while last is not None:
            found = self._call("GET", path, after=last, most=ROWS)
            yield from found[field]
            last = found["after"]

    def _call(self, method: str, path: str = "", body: Any = None, /, **query: Any) -> Any:
        return self.service.call(method, f"projects/{quote(self.name)}/{path}", body, **query)


@dataclass(frozen=True, slots=True)
class ServiceRun:
    """One run of long work: an import, a forecast, a measurement of a program."""

    project: Project
    number: int

    def state(self) -> Json:
        """Return the state (waiting, running, paused, cancelled, failed, done), how far it is, and the result."""
        return dict(self.project._call("GET", f"runs/{self.number}/"))

    def wait(self, *, seconds: float = 86_400.0, look: float = LOOK_SECONDS) -> Json:
        """Return where it stands once it works no more. Raises Refused if it failed, or TimeoutError."""
        until = time.monotonic() + seconds
        while (now := self.state())["state"] in ("waiting", "running"):
            if time.monotonic() > until:
                raise TimeoutError(f"The work is not done after {seconds:.0f} s: {now['counts']}.")
            time.sleep(look)
        if now["state"] == "failed":
            raise Refused(500, "failed", now["problem"])
        return now

    def steer(self, command: str) -> None:
        """`command`: pause, resume or cancel."""
        self.project._call("POST", f"runs/{self.number}/", {"command": command})

    def left_out(self) -> Iterator[Json]:
        """Yield what an import left out: image, file, line and why."""
        yield from self.project._rows(f"runs/{self.number}/left-out/", "rows", 0)


def _by_image(rows: Sequence[Json]) -> list[list[Json]]:
    """Return the rows in parts of about ROWS, those of one image together."""
    parts: list[list[Json]] = [[]]
    for _, image_rows in groupby(sorted(rows, key=itemgetter("image")), key=itemgetter("image")):
        here = list(image_rows)
        if len(parts[-1]) + len(here) > ROWS:
            parts.append([])
        parts[-1] += here
    return [part for part in parts if part]


class _Redirects(HTTPRedirectHandler):
    """Follows a service to its store of files, without the token. Only what reads is asked of another address."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        found = super().redirect_request(req, fp, code, msg, headers, newurl) if req.get_method() == "GET" else None
        if found and urlsplit(newurl)[:2] != urlsplit(req.full_url)[:2]:
            found.remove_header("Authorization")
        return found


_OPENER = build_opener(_Redirects)


def _seconds(retry_after: str | None) -> float:
    """Return the wait that a service asks for, within bounds; the usual one if it cannot be read."""
    try:
        seconds = float(retry_after or "")
    except ValueError:
        return LOOK_SECONDS
    return min(seconds, LONGEST_SECONDS) if seconds >= 0 else LOOK_SECONDS


def _refused(error: HTTPError) -> Refused:
    try:
        said = json.load(error)
        return Refused(error.code, said["code"], said["message"], said)
    except (ValueError, KeyError, TypeError, RecursionError):
        return Refused(error.code, "unknown", f"{error.code} {error.reason}")
