"""The options of the command line."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from clients.annotator.coordinates import Form
from clients.annotator.model import OPTIONAL
from clients.annotator.questions import TASKS

AUTO = "auto"


def parser() -> ArgumentParser:
    """Return the parser of all commands."""
    top = ArgumentParser(prog="chainbox colleague", description="Let a model answer questions and propose boxes.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, words in (
        ("try", "show prompts and answers of a few questions; submits nothing"),
        ("answer", "answer open questions as a program (key in COLLEAGUE_KEY)"),
        ("propose", "propose boxes for phrases (token in CHAINBOX_TOKEN)"),
    ):
        one = commands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        _common(one)
        _of_model(one, required=name != "propose")
        if name != "propose":
            one.add_argument("--tasks", nargs="+", choices=TASKS, default=[], metavar="TASK", help="all of the program")
        if name == "try":
            one.add_argument("--questions", type=_whole(1), default=10, metavar="N", help="how many (10)")
        if name == "answer":
            words = "end when nothing was open for so many seconds (5)"
            one.add_argument("--patience", type=_number(0), default=5.0, metavar="SECONDS", help=words)
            words = "skip answers of which the model is less sure, 0 to 1 (0)"
            one.add_argument("--skip-below", type=_number(0, 1), default=0.0, metavar="SCORE", help=words)
        if name == "propose":
            one.add_argument("--program", required=True, metavar="NAME", help="the name of the program, as of its key")
            words = "a function instead of a model, as module:function"
            one.add_argument("--predict", default="", metavar="PLACE", help=words)
            one.add_argument("--most-images", type=_whole(1), metavar="N", help="only so many images")
    copied = commands.add_parser("prompts", help="copy the prompts to a new folder, to edit them")
    copied.add_argument("folder", type=Path)
    return top


def _common(one: ArgumentParser) -> None:
    one.add_argument("--service", required=True, type=_address, metavar="URL", help="address of the service")
    one.add_argument("--project", required=True, type=_name, metavar="NAME")
    one.add_argument(
        "--work", type=Path, default=Path("colleague-work"), metavar="DIR", help="replies (colleague-work)"
    )
    one.add_argument("--at-once", type=_whole(1, 256), default=8, metavar="N", help="calls side by side (8)")
    words = "the longest side of pictures that are sent, in pixels"
    one.add_argument("--longest-side", type=_whole(64, 8192), default=1024, metavar="N", help=f"{words} (1024)")
    words = "make both sides a multiple of it, as for a model that works on such sides: 28 for Qwen2.5-VL (1)"
    one.add_argument("--multiple", type=_whole(1, 256), default=1, metavar="N", help=words)


def _of_model(one: ArgumentParser, *, required: bool) -> None:
    one.add_argument("--server", required=required, type=_address, metavar="URL", help="as http://…:8000/v1")
    one.add_argument("--model", required=required, metavar="NAME", help="the model's name on its server")
    words = "how the model gives boxes; auto: found out on the project's examples (auto)"
    one.add_argument(
        "--coordinates", choices=(AUTO, *(form.value for form in Form)), default=AUTO, metavar="FORM", help=words
    )
    one.add_argument("--prompts", type=Path, metavar="DIR", help="edited prompts, made by the command prompts")
    one.add_argument("--seed", type=int, default=0, metavar="N", help="(0)")
    words = f"parameters that the server refuses, with commas between them: {', '.join(OPTIONAL)}"
    one.add_argument("--without", type=_parameters, default=(), metavar="NAMES", help=words)
    one.add_argument("--timeout", type=_number(1), default=120.0, metavar="SECONDS", help="for one call (120)")
    one.add_argument("--most-calls", type=_whole(0), metavar="N", help="budget of calls, over all runs on the folder")
    one.add_argument("--most-tokens", type=_whole(0), metavar="N", help="budget of tokens, in and out")
    one.add_argument("--most-money", type=_number(0), metavar="X", help="budget of money, by the prices")
    one.add_argument("--price-in", type=_number(0), default=0.0, metavar="X", help="of a million tokens in (0)")
    one.add_argument("--price-out", type=_number(0), default=0.0, metavar="X", help="of a million tokens out (0)")


def _whole(least: int, most: int | None = None) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= (int(text) if most is None else most):
            bounds = f"from {least}" + ("" if most is None else f" to {most}")
            raise ArgumentTypeError(f"{text!r} is no whole number {bounds}")
        return int(text)

    return read


def _number(least: float, most: float = float("inf")) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not least <= number <= most or number == float("inf"):
            bounds = f"from {least:g}" + ("" if most == float("inf") else f" to {most:g}")
            raise ArgumentTypeError(f"{text!r} is no number {bounds}")
        return number

    return read


def _address(text: str) -> str:
    if fault := _fault_in(text):
        raise ArgumentTypeError(f"{text!r} is no address: {fault}; give one such as https://chainbox.example.org:8000")
    return text


def _fault_in(address: str) -> str:
    """Return what is wrong with an address; empty if nothing is."""
    scheme = address.partition("://")[0]
    if scheme not in ("http", "https"):
        return "it must begin with http:// or https://"
    if " " in address or not address.isprintable():
        return "it holds a space or a character that no address has"
    try:
        read = urlsplit(address)
    except ValueError as error:
        return f"it cannot be read: {error}"
    try:
        _ = read.port
    except ValueError:
        return "the port after the colon must be a number from 0 to 65535"
    if not read.hostname:
        return f"the name of the server is missing after {scheme}://"
    try:
        httpx.URL(address)
        read.hostname.encode("idna")
    except (httpx.InvalidURL, UnicodeError) as error:
        return f"the name of the server cannot be read: {error}"
    return ""


def _name(text: str) -> str:
    if not re.fullmatch(r"[-\w]+", text):
        raise ArgumentTypeError(f"{text!r} is no name of a project: it has letters, digits, - and _")
    return text


def _parameters(text: str) -> tuple[str, ...]:
    names = tuple(name for name in text.split(",") if name)
    if unknown := [name for name in names if name not in OPTIONAL]:
        raise ArgumentTypeError(f"{unknown[0]!r} cannot be left out; these can: {', '.join(OPTIONAL)}")
    return names
