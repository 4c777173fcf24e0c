"""Proposals over a connection that fails: what is tried again, and what ends the command with one line."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PIL import Image

from colleague.command_line import main

IMAGE = {"name": "1", "state": "open", "url": "/1", "full_url": "/1", "width": 8, "height": 8, "language": "en"}
SAID = {"captions": ["A man."], "phrases": [{"caption": 0, "words": [0, 1], "text": "A man"}]}
PHRASES, PREDICTIONS = "GET phrases/", "POST predictions/"
KEPT = {"images": 1, "boxes": 1, "chains": 0, "unchanged": 0, "unknown": []}
REFUSED = {"code": "invalid", "message": "There is no such caption."}


class Desk:
    """A service that gives prepared replies: by call, those that come before the right one."""

    def __init__(self) -> None:
        self.before: dict[str, list[tuple[int, Any]]] = {}
        """Status and body; a status of 0: half of the body is sent, and the connection ends."""
        self.calls: list[tuple[str, Any]] = []
        picture = BytesIO()
        Image.new("RGB", (8, 8)).save(picture, "PNG")
        self.right: dict[str, Any] = {PHRASES: {"images": [{**IMAGE, **SAID}], "after": None}, PREDICTIONS: KEPT}
        self.right["GET 1"] = picture.getvalue()

    def reply(self, call: str, body: bytes) -> tuple[int, bytes]:
        self.calls.append((call, json.loads(body or b"null")))
        status, said = next(iter(self.before.get(call, [])), (200, self.right[call]))
        self.before[call] = self.before.get(call, [])[1:]
        return status, said if isinstance(said, bytes) else json.dumps(said).encode()


class Handler(BaseHTTPRequestHandler):
    desk: Desk

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print nothing."""

    def _answer(self, sent: bytes) -> None:
        place = self.path.partition("?")[0].removeprefix("/api/v1/requester/projects/scenes")
        status, body = self.desk.reply(f"{self.command} {place.removeprefix('/')}", sent)
        self.send_response(status or 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if status else body[: len(body) // 2])


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def line(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Return the command, on the prepared service and with a function that finds one box."""
    (tmp_path / "one_box.py").write_text("def predict(picture, phrases): return [[[0, 0, 4, 4]]], [[0.5]]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    monkeypatch.setattr("colleague.retry.FIRST_SECONDS", 0.0)
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"desk": desk})) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        yield ["propose", "--service", address, "--project", "scenes", "--program", "p", "--predict", "one_box:predict"]
        server.shutdown()


@pytest.mark.parametrize("call", [PHRASES, PREDICTIONS])
@pytest.mark.parametrize("fault", [(0, KEPT), (503, b"<html>Busy</html>"), (502, b"")])
def test_a_fault_that_passes_costs_another_try(line: list[str], desk: Desk, call: str, fault: Any, capsys: Any) -> None:
    desk.before[call] = [fault, fault]
    assert main(line) == 0
    assert "1 images, 1 boxes, 0 chains, 0 unchanged, 0 unknown" in capsys.readouterr().out
    assert [one for one, _ in desk.calls].count(call) == 3
    row = {"image": "1", "caption": 0, "words": [0, 1], "boxes": [[0, 0, 4, 4]], "scores": [0.5]}
    assert desk.calls[-1] == (PREDICTIONS, {"program": "p", "predictions": [row]})


@pytest.mark.parametrize(
    ("call", "faults", "said"),
    [
        (PHRASES, [(0, KEPT)] * 3, "cannot be reached"),
        (PHRASES, [(200, b"<html>Hello</html>")], "answers, but not as Chainbox does: see --service"),
        (PHRASES, [(401, {"code": "signed_out", "message": "?"})], "The service refuses the token in CHAINBOX_TOKEN"),
        (PHRASES, [(500, b"")] * 3, "answers 500: see --service"),
        (PREDICTIONS, [(0, KEPT)] * 8, "cannot be reached"),
        (PREDICTIONS, [(200, b"<html>Hello</html>")], "answers, but not as Chainbox does: see --service"),
        (PREDICTIONS, [(400, REFUSED)], "There is no such caption."),
    ],
)
def test_a_fault_that_stays_ends_the_command_with_one_line(
    line: list[str], desk: Desk, call: str, faults: Any, said: str, capsys: Any
) -> None:
    desk.before[call] = list(faults)
    assert main(line) == 1
    told = capsys.readouterr().err.strip()
    assert told.startswith("colleague propose: ") and said in told and "\n" not in told
    assert [one for one, _ in desk.calls].count(call) == len(faults)


def test_images_are_read_page_by_page_and_sent_in_calls_of_a_size_that_the_service_takes(
    line: list[str], desk: Desk, monkeypatch: Any
) -> None:
    monkeypatch.setattr("colleague.propose.MOST_ROWS", 2)
    pages = [[{**IMAGE, **SAID, "name": f"{page}-{at}"} for at in range(3)] for page in range(2)]
    desk.before[PHRASES] = [
        (200, {"images": page, "after": after}) for page, after in zip(pages, (7, None), strict=True)
    ]
    assert main(line) == 0
    sent = [[row["image"] for row in body["predictions"]] for call, body in desk.calls if call == PREDICTIONS]
    assert sent == [["0-0", "0-1"], ["0-2", "1-0"], ["1-1", "1-2"]]
