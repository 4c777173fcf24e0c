"""The commands of the annotator on a project of drawn scenes, with wrong options, and over connections that fail."""

import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image

from accounts.models import Role, Scope
from accounts.requester_tokens import make_requester_token
from annotation.models import Project
from clients.annotator.calls import LONGEST_ASKED
from clients.annotator.command_line import INTERRUPTED, main, parser, try_out
from clients.annotator.errors import ServiceError
from clients.annotator.model import MAX_PROBLEMS_IN_A_ROW
from clients.annotator.questions import OWN
from exchange.import_dataset import import_dataset
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.models import ModelPrediction
from tests.support import web_server
from tests.support.members import member, with_rights
from tests.support.table import row
from tests.support.web_server import Answering
from tests.twins.chat import ChatTwin, Fault, TwinModel
from tests.twins.chat.twin import KEY
from workers.models import Worker

FEW = Settings(batch={**Settings().batch, Task.COREFERENCE_LINK: 2}, pre_annotations=True)
FEW_OF = {
    "answer": ["--tasks", "coreference_link", "--at-once", "2"],
    "propose": ["--program", "twin", "--coordinates", "pixels", "--at-once", "2"],
}
"""Options by which a command makes two calls at once."""


@pytest.fixture
def project(transactional_db: None, drawn: Path) -> Project:
    import_dataset(project_name="scenes", path=drawn, gold=True, settings=FEW)
    call_command("known_questions", "scenes", examples=4, stdout=StringIO(), stderr=StringIO())
    tick()
    return Project.objects.get()


@pytest.fixture
def line(project: Project, live_server: Any, twin: ChatTwin, tmp_path: Path, monkeypatch: Any) -> list[str]:
    """Return the options of every command; the keys are in the environment."""
    out = StringIO()
    call_command("make_api_key", "twin", project=project.name, trusted=True, stdout=out, stderr=StringIO())
    boss = with_rights(member(project, Role.REQUESTER, "boss"))
    monkeypatch.setenv("ANNOTATOR_KEY", out.getvalue().strip())
    monkeypatch.setenv("CHAINBOX_TOKEN", make_requester_token(boss, name="all", scopes=(Scope.READ, Scope.WRITE)))
    monkeypatch.setenv("ANNOTATOR_MODEL_KEY", KEY)
    place = ["--service", live_server.url, "--project", project.name, "--work", str(tmp_path / "work")]
    return [*place, "--server", twin.url, "--model", "twin"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["pixels", "0-1-yx"])
def test_a_trial_finds_the_form_of_boxes_and_shows_ten_right_answers_and_submits_nothing(
    line: list[str], model: TwinModel, form: str, capsys: Any, tmp_path: Path
) -> None:
    model.form = form
    assert main(["try", *line]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"Boxes of twin: {form}\n") and "10 of 10 examples with a known answer are right" in said
    assert said.count("\nRight.\n") == 10 and "Reply with JSON" in said
    assert len(list((tmp_path / "work" / "tried").glob("*.jpg"))) == 10
    assert not Judgment.objects.exists() and not Assignment.objects.exists()


def test_a_wrong_answer_is_shown_beside_the_right_one_and_without_examples_open_questions_are_tried_and_given_back(
    line: list[str], model: TwinModel, capsys: Any
) -> None:
    model.error = 1.0
    assert main(["try", *line, "--tasks", "box_requirement", "--questions", "1"]) == 0
    said = capsys.readouterr().out
    assert "Answer: 3 (score 0.90)\nWrong: right is 1." in said and "0 of 1 examples" in said
    KnownQuestion.objects.all().delete()
    assert main(["try", *line, "--tasks", "coreference_link", "--questions", "1"]) == 0
    assert "1 questions tried, nothing submitted. 0 of 0 examples" in capsys.readouterr().out
    assert not Judgment.objects.exists() and not Assignment.objects.filter(state="active").exists()


@pytest.mark.slow
def test_questions_are_answered_and_skips_counted(line: list[str], twin: ChatTwin, capsys: Any, tmp_path: Path) -> None:
    twin.faults.append(Fault.PROSE)
    tasks = ["--tasks", "coreference_link", "box_requirement"]
    assert main(["answer", *line, *tasks, "--patience", "0", "--at-once", "2"]) == 0
    said = capsys.readouterr().out
    answered = sum(int(count) for count in re.findall(r"(\d+) answered", said))
    assert "1 skipped (1 no JSON)" in said and answered == Judgment.objects.count() > 3
    assert f"Spent in this folder: {answered + 1} calls" in said
    written = (tmp_path / "work" / "answers.jsonl").read_text().splitlines()
    assert {json.loads(row).get("skip", "") for row in written} == {"", "unclear"} and len(written) == answered + 1


@pytest.mark.slow
def test_a_model_that_nobody_can_read_ends_the_run_and_its_questions_are_asked_again_once_it_is_mended(
    line: list[str], twin: ChatTwin, capsys: Any, tmp_path: Path
) -> None:
    twin.every = (1, (Fault.PROSE,))
    ways = [*line, "--tasks", "coreference_link", "box_requirement", "--patience", "0", "--at-once", "2"]
    assert main(["answer", *ways]) == 1
    assert "replies of the model server" in (told := capsys.readouterr()).err and "skipped" not in told.out
    paid = len(twin.requests)
    assert paid <= MAX_PROBLEMS_IN_A_ROW + 1 and not (tmp_path / "work" / "answers.jsonl").exists()
    assert not Assignment.objects.filter(state="active").exists() and not Judgment.objects.exists()
    twin.every = None
    assert main(["answer", *ways]) == 0
    said = capsys.readouterr().out
    answered = Judgment.objects.count()
    assert "skipped" not in said and answered > paid and f"Spent in this folder: {answered + paid} calls" in said


@pytest.mark.slow
@pytest.mark.parametrize("command", ["answer", "propose"])
def test_a_spent_budget_ends_the_wait_for_a_server_that_asks_for_time(
    command: str, line: list[str], twin: ChatTwin, capsys: Any
) -> None:
    twin.retry_after = LONGEST_ASKED
    twin.faults.append(Fault.BUSY)
    assert main([command, *line, *FEW_OF[command], "--most-calls", "3"]) == 1
    assert capsys.readouterr().err.strip().splitlines()[-1].endswith("raise --most-calls and run it again.")
    assert len(twin.requests) == 3


@pytest.mark.slow
@pytest.mark.parametrize("command", ["answer", "propose"])
def test_ctrl_c_ends_the_wait_for_a_server_that_asks_for_time(
    command: str, line: list[str], twin: ChatTwin, model: TwinModel, capsys: Any
) -> None:
    interrupts, me = iter([signal.SIGINT]), threading.main_thread().ident

    def say(request: dict[str, Any]) -> str:
        for number in interrupts:
            signal.pthread_kill(me or 0, number)
        return model.reply(request)

    twin.say, twin.retry_after = say, LONGEST_ASKED
    twin.faults.append(Fault.BUSY)
    assert main([command, *line, *FEW_OF[command]]) == INTERRUPTED
    assert capsys.readouterr().err.strip().splitlines()[-1] == "Stopped. The same command goes on."
    assert not Assignment.objects.filter(state="active").exists()


@pytest.mark.slow
def test_boxes_of_the_model_are_proposed_for_every_phrase(line: list[str], model: TwinModel, capsys: Any) -> None:
    model.form = "0-1000"
    assert main(["propose", *line, "--program", "twin", "--coordinates", "0-1000"]) == 0
    said = capsys.readouterr().out
    assert "images: 3, boxes: " in said and "images: 3 predicted" in said

    kept = ModelPrediction.objects.filter(program__name="twin")
    assert kept.count() == 3 and sum(len(one.boxes) for one in kept) > 30


@pytest.mark.slow
def test_an_image_with_a_reply_that_cannot_be_read_is_left_out(line: list[str], twin: ChatTwin, capsys: Any) -> None:
    twin.faults.append(Fault.REFUSAL)
    assert main(["propose", *line, "--program", "twin", "--coordinates", "pixels", "--at-once", "1"]) == 0
    said = capsys.readouterr().out
    assert "images: 2, boxes: " in said and "images: 2 predicted, 1 skipped (1 a refusal of the model)" in said


def test_a_functions_boxes_need_no_model(line: list[str], monkeypatch: Any, tmp_path: Path, capsys: Any) -> None:
    whole = "[[[0, 0, *picture.size]] for _ in phrases], [[0.5] for _ in phrases]"
    (tmp_path / "whole_picture.py").write_text(f"def predict(picture, phrases): return {whole}\n")
    monkeypatch.chdir(tmp_path)
    where = [*line[: line.index("--server")], "--program", "whole", "--most-images", "2"]
    assert main(["propose", *where, "--predict", "whole_picture:predict"]) == 0
    said = capsys.readouterr().out
    assert "images: 2, boxes: " in said and "Spent" not in said
    assert Worker.objects.filter(name="whole").exists() and not (tmp_path / "work").exists()


@pytest.mark.slow
@row("ANNOTATOR_KEY", "The service refuses the key in ANNOTATOR_KEY")
@row("ANNOTATOR_MODEL_KEY", "ANNOTATOR_MODEL_KEY")
def test_a_wrong_key_is_named(name: str, said: str, line: list[str], monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv(name, "wrong")
    assert main(["answer", *line, "--coordinates", "pixels"]) == 1
    told = capsys.readouterr().err.strip()
    assert told.startswith("annotator answer: ") and said in told and "\n" not in told


@pytest.mark.slow
def test_keys_are_written_nowhere(line: list[str], tmp_path: Path, capsys: Any) -> None:
    assert main(["try", *line]) == 0
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    printed = "".join(capsys.readouterr()).encode()
    keys = [os.environ[name].encode() for name in ("ANNOTATOR_KEY", "CHAINBOX_TOKEN", "ANNOTATOR_MODEL_KEY")]
    assert written and not any(key in text for key in keys for text in (*written, printed))


def test_a_project_that_is_not_there_is_named(line: list[str], capsys: Any) -> None:
    line[line.index("scenes")] = "scones"
    assert main(["answer", *line]) == 1
    assert "There is no such project" in capsys.readouterr().err


NOWHERE = "http://127.0.0.1:9"
SaidBy = Callable[[Sequence[str]], tuple[int, str]]
OF_SERVICE = ["--service", NOWHERE, "--project", "scenes"]
OF_MODEL = ["--server", f"{NOWHERE}/v1", "--model", "twin"]


@pytest.fixture
def said_by(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> SaidBy:
    """Return a function that runs a command without keys, and returns its code and the last line of its errors."""
    for name in ("ANNOTATOR_KEY", "CHAINBOX_TOKEN", "ANNOTATOR_MODEL_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def said(arguments: Sequence[str]) -> tuple[int, str]:
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(str(ended.code))
        return code, capsys.readouterr().err.strip().splitlines()[-1]

    return said


@row([], "the following arguments are required: COMMAND")
@row(["judge"], "invalid choice: 'judge'")
@row(["answer", *OF_SERVICE], "required: --server, --model")
@row(["answer", "--service", "chainbox.org", "--project", "p", *OF_MODEL], "'chainbox.org' is no address")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--at-once", "0"], "--at-once: '0' is no whole number from 1 to 256")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--most-calls", "few"], "--most-calls: 'few' is no whole number from 0")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--multiple", "9999"], "'9999' is no whole number from 1 to 256")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--project", "no such"], "'no such' is no name of a project")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--skip-below", "80"], "--skip-below: '80' is no number from 0 to 1")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--most-money", "nan"], "--most-money: 'nan' is no number from 0")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--tasks", "drawing"], "--tasks: invalid choice: 'drawing'")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--without", "seed,top_p"], "'top_p' cannot be left out")
@row(["answer", *OF_SERVICE, *OF_MODEL, "--coordinates", "xyxy"], "--coordinates: invalid choice: 'xyxy'")
@row(["propose", *OF_SERVICE, *OF_MODEL], "required: --program")
def test_an_option_that_cannot_be_read_is_named(arguments: list[str], said: str, said_by: SaidBy) -> None:
    code, line = said_by(arguments)
    assert code == 2 and said in line


@row("http://127.0.0.1:port", "the port after the colon must be a number from 0 to 65535")
@row("http://127.0.0.1:80800/v1", "the port after the colon must be a number from 0 to 65535")
@row("http://127.0.0.1:-1", "the port after the colon must be a number from 0 to 65535")
@row("http://", "the name of the server is missing after http://")
@row("https:///v1", "the name of the server is missing after https://")
@row("http://gpu /v1", "it holds a space or a character that no address has")
@row("http://gpu\n", "it holds a space or a character that no address has")
@row("http://[::1/v1", "it cannot be read: Invalid IPv6 URL")
@row("http://127.0.0.999/v1", "the name of the server cannot be read: Invalid IPv4 address: '127.0.0.999'")
@row("http://chainbox..org", "the name of the server cannot be read: ")
@pytest.mark.parametrize(
    ("command", "option"), [("propose", "--service"), ("answer", "--service"), ("answer", "--server")]
)
def test_the_fault_of_an_address_is_told(address: str, said: str, command: str, option: str, said_by: SaidBy) -> None:
    other = ["--program", "twin"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other, option, address])
    assert code == 2 and f"argument {option}: {address!r} is no address: {said}" in line


def test_an_address_with_a_port_or_of_the_sixth_version_is_taken() -> None:
    places = ["--service", "http://[::1]:8000", "--server", "https://gpu/v1"]
    chosen = parser().parse_args(["try", *OF_SERVICE, *OF_MODEL, *places])
    assert (chosen.service, chosen.server) == ("http://[::1]:8000", "https://gpu/v1")


@pytest.mark.parametrize(
    ("command", "name"), [("try", "ANNOTATOR_KEY"), ("answer", "ANNOTATOR_KEY"), ("propose", "CHAINBOX_TOKEN")]
)
def test_a_missing_key_is_asked_for(command: str, name: str, said_by: SaidBy) -> None:
    other = ["--program", "twin"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other])
    assert code == 2 and line.startswith(f"annotator {command}: Put the ") and name in line


@pytest.mark.parametrize("name", ["ANNOTATOR_KEY", "ANNOTATOR_MODEL_KEY"])
def test_a_key_that_cannot_be_sent_is_named(name: str, said_by: SaidBy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "schlüssel")
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    command = "answer" if name == "ANNOTATOR_KEY" else "propose"
    other = [] if command == "answer" else ["--program", "twin", "--coordinates", "0-1"]
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other])
    assert code == 2 and f"The key in {name} holds a character that no key has" in line


@pytest.mark.slow
@row([], "Name the model by --server and --model, or a function by --predict")
@row(["--predict", "detector"], "--predict detector: name a function as module:function")
@row(OF_MODEL, "It is not known how twin gives boxes. Name the form with --coordinates")
@row([*OF_MODEL, "--coordinates", "0-1", "--prompts", "none"], "There is no folder of prompts at none")
@row([*OF_MODEL, "--coordinates", "0-1", "--most-money", "5"], "--most-money needs the prices")
def test_what_a_proposal_lacks_is_named(
    options: list[str], said: str, said_by: SaidBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    code, line = said_by(["propose", *OF_SERVICE, "--program", "twin", *options])
    assert code == 2 and line.startswith(f"annotator propose: {said}")


@pytest.mark.parametrize(
    ("command", "key"), [("answer", "ANNOTATOR_KEY"), ("try", "ANNOTATOR_KEY"), ("propose", "CHAINBOX_TOKEN")]
)
def test_a_service_that_cannot_be_reached_is_named(
    command: str, key: str, said_by: SaidBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key, "a key")
    monkeypatch.setattr("clients.annotator.calls.FIRST_SECONDS", 0.0)
    other = ["--program", "twin", "--coordinates", "0-1"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other])
    assert code == 1 and line.startswith(f"annotator {command}: The service at {NOWHERE}/ cannot be reached")
    assert command == "propose" or not Path("annotator-work").exists()


def test_a_service_that_leads_elsewhere_is_named_and_nothing_is_sent_there(
    said_by: SaidBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANNOTATOR_KEY", "a key")
    with Answering(lambda path, headers: (200, b"[]", {})) as other:
        leads = {"Location": f"{other.url}/there"}
        with Answering(lambda path, headers: (307, b"", leads)) as service:
            place = ["--service", service.url, "--project", "scenes"]
            code, line = said_by(["answer", *place, *OF_MODEL])
    assert code == 1 and f"leads to {other.url}/there: name the final address by --service" in line
    assert not other.got


def test_prompts_are_copied_to_be_edited(said_by: SaidBy, tmp_path: Path) -> None:
    assert main(["prompts", "mine"]) == 0
    copied, own = ([path.name for path in (folder / "en").iterdir()] for folder in (tmp_path / "mine", OWN))
    assert sorted(copied) == sorted(own)
    code, line = said_by(["prompts", "mine"])
    assert code == 2 and "mine is there already" in line


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


class Handler(web_server.Handler):
    desk: Desk

    def do_GET(self) -> None:
        place = self.path.partition("?")[0].removeprefix("/api/v1/requester/projects/scenes")
        status, said = self.desk.reply(f"{self.command} {place.removeprefix('/')}", self.body())
        self.send(status or 200, said if status else said[: len(said) // 2], {"Content-Length": str(len(said))})

    do_POST = do_GET


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def proposal_line(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Return the command, on the prepared service and with a function that finds one box."""
    (tmp_path / "one_box.py").write_text("def predict(picture, phrases): return [[[0, 0, 4, 4]]], [[0.5]]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    monkeypatch.setattr("clients.annotator.calls.FIRST_SECONDS", 0.0)
    with web_server.Server(type("Bound", (Handler,), {"desk": desk})) as server:
        where = ["--service", server.url, "--project", "scenes"]
        yield ["propose", *where, "--program", "p", "--predict", "one_box:predict"]


@pytest.mark.parametrize("call", [PHRASES, PREDICTIONS])
@pytest.mark.parametrize("fault", [(0, KEPT), (503, b"<html>Busy</html>"), (502, b"")])
def test_a_fault_that_passes_costs_another_try(
    proposal_line: list[str], desk: Desk, call: str, fault: Any, capsys: Any
) -> None:
    desk.before[call] = [fault, fault]
    assert main(proposal_line) == 0
    assert "images: 1, boxes: 1, chains: 0, unchanged: 0, unknown: 0" in capsys.readouterr().out
    assert [one for one, _ in desk.calls].count(call) == 3
    row = {"image": "1", "caption": 0, "words": [0, 1], "boxes": [[0, 0, 4, 4]], "scores": [0.5]}
    assert desk.calls[-1] == (PREDICTIONS, {"program": "p", "predictions": [row]})


@row(PHRASES, [(0, KEPT)] * 3, "cannot be reached")
@row(PHRASES, [(200, b"<html>Hello</html>")], "answers, but not as Chainbox does: see --service")
@row(PHRASES, [(401, {"code": "signed_out", "message": "?"})], "The service refuses the token in CHAINBOX_TOKEN")
@row(PHRASES, [(500, b"")] * 3, "answers 500: see --service")
@row(PREDICTIONS, [(0, KEPT)] * 8, "cannot be reached")
@row(PREDICTIONS, [(200, b"<html>Hello</html>")], "answers, but not as Chainbox does: see --service")
@row(PREDICTIONS, [(400, REFUSED)], "There is no such caption.")
def test_a_fault_that_stays_ends_the_command_with_one_line(
    call: str, faults: Any, said: str, proposal_line: list[str], desk: Desk, capsys: Any
) -> None:
    desk.before[call] = list(faults)
    assert main(proposal_line) == 1
    told = capsys.readouterr().err.strip()
    assert told.startswith("annotator propose: ") and said in told and "\n" not in told
    assert [one for one, _ in desk.calls].count(call) == len(faults)


def test_images_are_read_page_by_page_and_sent_in_calls_of_a_size_that_the_service_takes(
    proposal_line: list[str], desk: Desk, monkeypatch: Any
) -> None:
    monkeypatch.setattr("clients.annotator.propose.MOST_ROWS", 2)
    pages = [[{**IMAGE, **SAID, "name": f"{page}-{at}"} for at in range(3)] for page in range(2)]
    desk.before[PHRASES] = [
        (200, {"images": page, "after": after}) for page, after in zip(pages, (7, None), strict=True)
    ]
    assert main(proposal_line) == 0
    sent = [[row["image"] for row in body["predictions"]] for call, body in desk.calls if call == PREDICTIONS]
    assert sent == [["0-0", "0-1"], ["0-2", "1-0"], ["1-1", "1-2"]]


class Refusing:
    """A service without examples, and an asker that is never asked; every task is refused."""

    model = SimpleNamespace(spending="nothing")

    def __init__(self, error: ServiceError) -> None:
        self.error = error

    def examples(self, task: str) -> list[dict[str, Any]]:
        return []

    def ask(self, task: str) -> tuple[dict[str, Any] | None, str]:
        raise self.error


def tried(error: ServiceError, folder: Path) -> list[str]:
    both: Any = Refusing(error)
    return list(try_out(both, both, ["box_quality", "coreference_link"], 2, folder))


def test_a_refusal_is_shown_for_each_task_and_any_other_error_ends_the_try(tmp_path: Path):
    refused = ServiceError("The requester has not set this program to work.", status=403)
    first, second, *_ = tried(refused, tmp_path)
    assert (first, second) == (f"=== box quality\n{refused}", f"=== coreference link\n{refused}")
    with pytest.raises(ServiceError, match="500"):
        tried(ServiceError("The service answers 500.", status=500), tmp_path)
