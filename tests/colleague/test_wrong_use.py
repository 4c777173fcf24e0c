"""Wrong use of the commands: one line tells what is wrong and what to do."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from colleague.command_line import main
from colleague.options import parser
from colleague.prompts import OWN

NOWHERE = "http://127.0.0.1:9"
OF_SERVICE = ["--service", NOWHERE, "--project", "scenes"]
OF_MODEL = ["--server", f"{NOWHERE}/v1", "--model", "twin"]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("COLLEAGUE_KEY", "CHAINBOX_TOKEN", "COLLEAGUE_MODEL_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def said_by(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit code and the last line of the error output."""
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = int(str(ended.code))
    return code, capsys.readouterr().err.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["judge"], "invalid choice: 'judge'"),
        (["answer", *OF_SERVICE], "required: --server, --model"),
        (["answer", "--service", "chainbox.org", "--project", "p", *OF_MODEL], "'chainbox.org' is no address"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--at-once", "0"], "--at-once: '0' is no whole number from 1 to 256"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--most-calls", "few"], "--most-calls: 'few' is no whole number from 0"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--multiple", "9999"], "'9999' is no whole number from 1 to 256"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--project", "no such"], "'no such' is no name of a project"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--skip-below", "80"], "--skip-below: '80' is no number from 0 to 1"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--most-money", "nan"], "--most-money: 'nan' is no number from 0"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--tasks", "drawing"], "--tasks: invalid choice: 'drawing'"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--without", "seed,top_p"], "'top_p' cannot be left out"),
        (["answer", *OF_SERVICE, *OF_MODEL, "--coordinates", "xyxy"], "--coordinates: invalid choice: 'xyxy'"),
        (["propose", *OF_SERVICE, *OF_MODEL], "required: --program"),
    ],
)
def test_an_option_that_cannot_be_read_is_named(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, line = said_by(arguments, capsys)
    assert code == 2 and said in line


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:port", "the port after the colon must be a number from 0 to 65535"),
        ("http://127.0.0.1:80800/v1", "the port after the colon must be a number from 0 to 65535"),
        ("http://127.0.0.1:-1", "the port after the colon must be a number from 0 to 65535"),
        ("http://", "the name of the server is missing after http://"),
        ("https:///v1", "the name of the server is missing after https://"),
        ("http://gpu /v1", "it holds a space or a character that no address has"),
        ("http://gpu\n", "it holds a space or a character that no address has"),
        ("http://[::1/v1", "it cannot be read: Invalid IPv6 URL"),
        ("http://127.0.0.999/v1", "the name of the server cannot be read: Invalid IPv4 address: '127.0.0.999'"),
        ("http://chainbox..org", "the name of the server cannot be read: "),
    ],
)
@pytest.mark.parametrize(
    ("command", "option"), [("propose", "--service"), ("answer", "--service"), ("answer", "--server")]
)
def test_an_address_that_is_none_is_told_by_its_fault(
    command: str, option: str, address: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    other = ["--program", "twin"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other, option, address], capsys)
    assert code == 2 and f"argument {option}: {address!r} is no address: {said}" in line


def test_an_address_with_a_port_or_of_the_sixth_version_is_taken() -> None:
    chosen = parser().parse_args(
        ["try", *OF_SERVICE, *OF_MODEL, "--service", "http://[::1]:8000", "--server", "https://gpu/v1"]
    )
    assert (chosen.service, chosen.server) == ("http://[::1]:8000", "https://gpu/v1")


@pytest.mark.parametrize(
    ("command", "name"), [("try", "COLLEAGUE_KEY"), ("answer", "COLLEAGUE_KEY"), ("propose", "CHAINBOX_TOKEN")]
)
def test_a_missing_key_is_asked_for(command: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    other = ["--program", "twin"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other], capsys)
    assert code == 2 and line.startswith(f"colleague {command}: Put the ") and name in line


@pytest.mark.parametrize("name", ["COLLEAGUE_KEY", "COLLEAGUE_MODEL_KEY"])
def test_a_key_that_cannot_be_sent_is_named(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "schlüssel")
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    command = "answer" if name == "COLLEAGUE_KEY" else "propose"
    other = [] if command == "answer" else ["--program", "twin", "--coordinates", "0-1"]
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other], capsys)
    assert code == 2 and f"The key in {name} holds a character that no key has" in line


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "Name the model by --server and --model, or a function by --predict"),
        (["--predict", "detector"], "--predict detector: name a function as module:function"),
        (OF_MODEL, "It is not known how twin gives boxes. Name the form with --coordinates"),
        ([*OF_MODEL, "--coordinates", "0-1", "--prompts", "none"], "There is no folder of prompts at none"),
        ([*OF_MODEL, "--coordinates", "0-1", "--most-money", "5"], "--most-money needs the prices"),
    ],
)
def test_what_a_proposal_lacks_is_named(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHAINBOX_TOKEN", "a token")
    code, line = said_by(["propose", *OF_SERVICE, "--program", "twin", *options], capsys)
    assert code == 2 and line.startswith(f"colleague propose: {said}")


@pytest.mark.parametrize(
    ("command", "key"), [("answer", "COLLEAGUE_KEY"), ("try", "COLLEAGUE_KEY"), ("propose", "CHAINBOX_TOKEN")]
)
def test_a_service_that_cannot_be_reached_is_named(
    command: str, key: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command == "propose":
        pytest.importorskip("openai", reason="needs the extra colleague")
    monkeypatch.setenv(key, "a key")
    monkeypatch.setattr("colleague.retry.FIRST_SECONDS", 0.0)
    other = ["--program", "twin", "--coordinates", "0-1"] if command == "propose" else []
    code, line = said_by([command, *OF_SERVICE, *OF_MODEL, *other], capsys)
    assert code == 1 and line.startswith(f"colleague {command}: The service at {NOWHERE}/ cannot be reached")
    assert command == "propose" or not Path("colleague-work").exists()


def test_prompts_are_copied_to_be_edited(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["prompts", "mine"]) == 0
    assert sorted(path.name for path in (tmp_path / "mine" / "en").iterdir()) == sorted(
        p.name for p in (OWN / "en").iterdir()
    )
    code, line = said_by(["prompts", "mine"], capsys)
    assert code == 2 and "mine is there already" in line
