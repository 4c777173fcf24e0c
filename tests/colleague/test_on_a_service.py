"""The commands, as a researcher calls them: on a project of drawn scenes, with the twin of a model server."""

import json
import os
import re
import signal
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotation.models import Project
from campaign.models import ModelPrediction
from colleague.command_line import INTERRUPTED, main
from colleague.retry import LONGEST_ASKED
from exchange.import_dataset import import_dataset
from members.models import Role, Scope
from members.requester_tokens import make_requester_token
from pipeline.models import Assignment, Judgment, KnownQuestion
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.members import member, with_rights
from tests.twins.chat import ChatTwin, Fault, TwinModel
from tests.twins.chat.twin import KEY
from workers.models import Worker

FEW = ProtocolSettings(batch={**ProtocolSettings().batch, Task.COREFERENCE_LINK: 2}, proposals=True)
FEW_OF = {
    "answer": ["--tasks", "coreference_link", "--at-once", "2"],
    "propose": ["--program", "twin", "--coordinates", "pixels", "--at-once", "2"],
}
"""Options by which a command makes two calls at once."""


@pytest.fixture
def project(transactional_db: None, drawn: Path) -> Project:
    import_dataset(project_name="scenes", path=drawn, gold=True, settings=FEW)
    call_command("stock", "scenes", examples=4, stdout=StringIO(), stderr=StringIO())
    tick()
    return Project.objects.get()


@pytest.fixture
def line(project: Project, live_server: Any, twin: ChatTwin, tmp_path: Path, monkeypatch: Any) -> list[str]:
    """Return the options of every command; the keys are in the environment."""
    out = StringIO()
    call_command("make_api_key", "twin", project=project.name, trusted=True, stdout=out, stderr=StringIO())
    boss = with_rights(member(project, Role.REQUESTER, "boss"))
    monkeypatch.setenv("COLLEAGUE_KEY", out.getvalue().strip())
    monkeypatch.setenv("CHAINBOX_TOKEN", make_requester_token(boss, name="all", scopes=(Scope.READ, Scope.WRITE)))
    monkeypatch.setenv("COLLEAGUE_MODEL_KEY", KEY)
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


def test_a_wrong_answer_is_shown_beside_the_right_one(line: list[str], model: TwinModel, capsys: Any) -> None:
    model.error = 1.0
    assert main(["try", *line, "--tasks", "box_requirement", "--questions", "1"]) == 0
    said = capsys.readouterr().out
    assert "Answer: 3 (score 0.90)\nWrong: right is 1." in said and "0 of 1 examples" in said


def test_a_trial_without_examples_takes_open_questions_and_gives_them_back(line: list[str], capsys: Any) -> None:
    KnownQuestion.objects.all().delete()
    assert main(["try", *line, "--tasks", "coreference_link", "--questions", "1"]) == 0
    assert "1 questions tried, nothing submitted. 0 of 0 examples" in capsys.readouterr().out
    assert not Judgment.objects.exists() and not Assignment.objects.filter(state="active").exists()


@pytest.mark.slow
def test_open_questions_are_answered_and_skips_counted(
    line: list[str], twin: ChatTwin, capsys: Any, tmp_path: Path
) -> None:
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
def test_the_second_run_pays_for_nothing_that_the_first_paid(line: list[str], twin: ChatTwin, capsys: Any) -> None:
    ways = [*line, "--tasks", "coreference_link", "--patience", "0"]
    assert main(["answer", *ways, "--most-calls", "3"]) == 1
    assert "The budget of 3 calls is spent: raise --most-calls" in capsys.readouterr().err
    assert len(twin.requests) == 3
    assert main(["answer", *ways]) == 0
    digests = [digest for digest, _ in twin.requests]
    assert len(digests) == len(set(digests)) > 3


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
    assert "3 images" in said and "images: 3 predicted" in said

    kept = ModelPrediction.objects.filter(program__name="twin")
    assert kept.count() == 3 and sum(len(one.boxes) for one in kept) > 30


@pytest.mark.slow
def test_an_image_with_a_reply_that_cannot_be_read_is_left_out(line: list[str], twin: ChatTwin, capsys: Any) -> None:
    twin.faults.append(Fault.REFUSAL)
    assert main(["propose", *line, "--program", "twin", "--coordinates", "pixels", "--at-once", "1"]) == 0
    said = capsys.readouterr().out
    assert "2 images" in said and "images: 2 predicted, 1 skipped (1 a refusal of the model)" in said


def test_boxes_of_a_function_are_proposed_without_a_model(
    line: list[str], monkeypatch: Any, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "whole_picture.py").write_text(
        "def predict(picture, phrases):\n"
        "    return [[[0, 0, *picture.size]] for _ in phrases], [[0.5] for _ in phrases]\n"
    )
    monkeypatch.chdir(tmp_path)
    where = line[: line.index("--server")]
    assert (
        main(["propose", *where, "--program", "whole", "--predict", "whole_picture:predict", "--most-images", "2"]) == 0
    )
    said = capsys.readouterr().out
    assert "2 images" in said and "Spent" not in said
    assert Worker.objects.filter(name="whole").exists() and not (tmp_path / "work").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [("COLLEAGUE_KEY", "The service refuses the key in COLLEAGUE_KEY"), ("COLLEAGUE_MODEL_KEY", "COLLEAGUE_MODEL_KEY")],
)
def test_a_wrong_key_is_named(line: list[str], name: str, said: str, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv(name, "wrong")
    assert main(["answer", *line, "--coordinates", "pixels"]) == 1
    told = capsys.readouterr().err.strip()
    assert told.startswith("colleague answer: ") and said in told and "\n" not in told


@pytest.mark.slow
def test_keys_are_written_nowhere(line: list[str], tmp_path: Path, capsys: Any) -> None:
    assert main(["try", *line]) == 0
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    printed = "".join(capsys.readouterr()).encode()
    keys = [os.environ[name].encode() for name in ("COLLEAGUE_KEY", "CHAINBOX_TOKEN", "COLLEAGUE_MODEL_KEY")]
    assert written and not any(key in text for key in keys for text in (*written, printed))


def test_a_project_that_is_not_there_is_named(line: list[str], capsys: Any) -> None:
    line[line.index("scenes")] = "scones"
    assert main(["answer", *line]) == 1
    assert "There is no such project" in capsys.readouterr().err
