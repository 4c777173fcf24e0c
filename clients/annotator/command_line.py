"""The command line: reads the options, runs a command, and ends with one sentence if it cannot go on."""

import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import httpx

from clients.annotator.answer import Answering
from clients.annotator.asker import Asker
from clients.annotator.coordinates import NAME_IT, Form, iou, stored_form
from clients.annotator.errors import AnnotatorError, NoAnswer, ServiceError, WrongUse, shown
from clients.annotator.model import OPTIONAL, Limits, ServedModel, SpendingLimit
from clients.annotator.pictures import PictureLoader
from clients.annotator.propose import ByFunction, ByModel, Predictor, propose
from clients.annotator.questions import DRAWING, TASKS, Prompts, write_prompts
from clients.annotator.replies import Replies
from clients.annotator.service import Requester, Service
from clients.annotator.tally import SkipTally

RIGHT = 0.5
"""The IOU with a right box at which a drawn box is right."""


def try_out(service: Service, asker: Asker, tasks: Sequence[str], most: int, folder: Path) -> Iterator[str]:
    """Yield the words about `most` questions, a share of each task; their pictures are written to the folder.

    The project's examples are taken, whose answers are known; of a task without any, open questions, which are then
    given back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    left, known, right = most, 0, 0
    for number, task in enumerate(tasks):
        share = -(-left // (len(tasks) - number))
        try:
            questions = _questions(service, task, share)
        except ServiceError as refused:
            if refused.status != 403:
                raise
            yield f"=== {task.replace('_', ' ')}\n{refused}"
            continue
        for place, question in enumerate(questions):
            left -= 1
            verdict, lines = _tried(asker, task, question, folder / f"{task}-{place + 1}.jpg")
            known, right = known + ("answer" in question), right + verdict
            yield "\n".join(lines)
    tried = most - left
    if not tried:
        yield "Nothing is open to the program, and there are no examples: make some by known_questions --examples."
    yield f"{tried} questions tried, nothing submitted. {right} of {known} examples with a known answer are right."
    yield f"Pictures: {folder}. Spent so far: {asker.model.spending}."


def _questions(service: Service, task: str, most: int) -> list[dict[str, Any]]:
    """Return examples of a task or, if it has none, open questions."""
    if most and (found := service.examples(task)):
        return found[:most]
    given, _ = service.ask(task) if most else (None, "")
    if given is None:
        return []
    service.give_back(given["token"])
    return list(given["questions"][:most])


def _tried(asker: Asker, task: str, question: dict[str, Any], picture: Path) -> tuple[bool, list[str]]:
    """Return whether the answer is known to be right, and the lines about it."""
    lines = [f"=== {task.replace('_', ' ')}"]
    try:
        sent = asker.sent(question)
        picture.write_bytes(sent.jpeg)
        lines += [f"Picture: {picture} ({sent.frame.sent[0]} x {sent.frame.sent[1]})"]
        lines += [asker.text(task, question, sent), ""]
        given = asker.ask(task, question)
    except NoAnswer as reason:
        return False, [*lines, f"Skipped: {reason}", ""]
    score = "" if given.score is None else f" (score {given.score:.2f})"
    lines.append(f"Answer: {given.answer}{score}")
    if "answer" not in question:
        return False, [*lines, ""]
    right = is_right(task, question, given.answer)
    wanted = question["missing"] or question["answer"]
    return right, [*lines, "Right." if right else f"Wrong: right is {wanted}. {question['explanation']}".strip(), ""]


def is_right(task: str, example: dict[str, Any], answer: Any) -> bool:
    """Tell whether an answer to an example is right: a drawn box, if it fits one of those that are missing."""
    if task == DRAWING and "box" in answer:
        return any(iou(answer["box"], box) >= RIGHT for box in example["missing"])
    return bool(answer == example["answer"])


AUTO = "auto"


def parser() -> ArgumentParser:
    """Return the parser of all commands."""
    top = ArgumentParser(prog="chainbox annotator", description="Let a model answer questions and propose boxes.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, words in (
        ("try", "show prompts and answers of a few questions; submits nothing"),
        ("answer", "answer open questions as a program (key in ANNOTATOR_KEY)"),
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


def _common(parser: ArgumentParser) -> None:
    parser.add_argument("--service", required=True, type=_address, metavar="URL", help="address of the service")
    parser.add_argument("--project", required=True, type=_name, metavar="NAME")
    parser.add_argument(
        "--work", type=Path, default=Path("annotator-work"), metavar="DIR", help="replies (annotator-work)"
    )
    parser.add_argument("--at-once", type=_whole(1, 256), default=8, metavar="N", help="calls side by side (8)")
    words = "the longest side of pictures that are sent, in pixels"
    parser.add_argument("--longest-side", type=_whole(64, 8192), default=1024, metavar="N", help=f"{words} (1024)")
    words = "make both sides a multiple of it, as for a model that works on such sides: 28 for Qwen2.5-VL (1)"
    parser.add_argument("--multiple", type=_whole(1, 256), default=1, metavar="N", help=words)


def _of_model(parser: ArgumentParser, *, required: bool) -> None:
    parser.add_argument("--server", required=required, type=_address, metavar="URL", help="as http://…:8000/v1")
    parser.add_argument("--model", required=required, metavar="NAME", help="the model's name on its server")
    words = "how the model gives boxes; auto: found out on the project's examples (auto)"
    parser.add_argument(
        "--coordinates", choices=(AUTO, *(form.value for form in Form)), default=AUTO, metavar="FORM", help=words
    )
    parser.add_argument("--prompts", type=Path, metavar="DIR", help="edited prompts, made by the command prompts")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="(0)")
    words = f"parameters that the server refuses, with commas between them: {', '.join(OPTIONAL)}"
    parser.add_argument("--without", type=_parameters, default=(), metavar="NAMES", help=words)
    parser.add_argument("--timeout", type=_number(1), default=120.0, metavar="SECONDS", help="for one call (120)")
    parser.add_argument(
        "--most-calls", type=_whole(0), metavar="N", help="budget of calls, over all runs on the folder"
    )
    parser.add_argument("--most-tokens", type=_whole(0), metavar="N", help="budget of tokens, in and out")
    parser.add_argument("--most-money", type=_number(0), metavar="X", help="budget of money, by the prices")
    parser.add_argument("--price-in", type=_number(0), default=0.0, metavar="X", help="of a million tokens in (0)")
    parser.add_argument("--price-out", type=_number(0), default=0.0, metavar="X", help="of a million tokens out (0)")


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


PROGRAM_KEY, REQUESTER_TOKEN, MODEL_KEY = "ANNOTATOR_KEY", "CHAINBOX_TOKEN", "ANNOTATOR_MODEL_KEY"
"""Names of the variables of the environment that hold the keys, which are written nowhere."""
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run a command. Returns 0; 1 if it could not go on, 2 for wrong use, 130 after Ctrl-C."""
    chosen = parser().parse_args(list(arguments))
    try:
        with ExitStack() as until_the_end:
            COMMANDS[chosen.command](chosen, until_the_end)
    except (AnnotatorError, OSError) as error:
        print(shown(f"annotator {chosen.command}: {error}"), file=sys.stderr)
        return error.exit_code if isinstance(error, AnnotatorError) else 1
    except KeyboardInterrupt:
        print("Stopped. The same command goes on.", file=sys.stderr)
        return INTERRUPTED
    return 0


def answer(chosen: Namespace, until_the_end: ExitStack) -> None:
    """Answer open questions."""
    stop = Event()
    service = _service(chosen, stop, until_the_end)
    tasks = _tasks(service, chosen)
    asker = _asker(chosen, service, stop, until_the_end)
    if DRAWING in tasks:
        print(f"Boxes of {chosen.model}: {asker.learn_form(service, chosen.work)}")
    with SkipTally("question", "answered") as tally:
        run = Answering(
            service,
            asker,
            tally,
            folder=chosen.work,
            at_once=chosen.at_once,
            stop=stop,
            patience=chosen.patience,
            skip_below=chosen.skip_below,
        )
        try:
            run.run(tasks)
        finally:
            tally.close()
            _end(tally, asker.model.spending)


def try_questions(chosen: Namespace, until_the_end: ExitStack) -> None:
    """Show prompts and answers of a few questions."""
    stop = Event()
    service = _service(chosen, stop, until_the_end)
    tasks = _tasks(service, chosen)
    asker = _asker(chosen, service, stop, until_the_end)
    if DRAWING in tasks:
        print(f"Boxes of {chosen.model}: {asker.learn_form(service, chosen.work)}\n")
    for words in try_out(service, asker, tasks, chosen.questions, chosen.work / "tried"):
        print(shown(words))


def make_proposals(chosen: Namespace, until_the_end: ExitStack) -> None:
    """Send boxes for phrases."""
    stop, token = Event(), _key(REQUESTER_TOKEN)
    service = until_the_end.enter_context(closing(Requester(chosen.service, chosen.project, token, sleep=stop.wait)))
    pictures = _pictures(chosen, service)
    model = None if chosen.predict else _model(chosen, stop, until_the_end)
    predictor: Predictor = ByFunction(chosen.predict, pictures) if model is None else _by_model(chosen, model, pictures)
    with SkipTally("image", "predicted") as tally:
        try:
            kept = propose(
                service,
                predictor,
                tally,
                program=chosen.program,
                at_once=chosen.at_once,
                stop=stop,
                most=chosen.most_images,
            )
            tally.say(", ".join(f"{name}: {count}" for name, count in kept.items()) or "Nothing to propose.")
        finally:
            tally.close()
            _end(tally, model.spending if model else None)


def copy_prompts(chosen: Namespace, until_the_end: ExitStack) -> None:
    write_prompts(chosen.folder)
    print(f"Edit the files in {chosen.folder}, and name it with --prompts.")


COMMANDS = {"answer": answer, "try": try_questions, "propose": make_proposals, "prompts": copy_prompts}


def _by_model(chosen: Namespace, model: ServedModel, pictures: PictureLoader) -> ByModel:
    form = stored_form(chosen.work, chosen.model) if chosen.coordinates == AUTO else Form(chosen.coordinates)
    if form is None:
        raise WrongUse(
            f"It is not known how {chosen.model} gives boxes. {NAME_IT}, or let the command `try` find it out."
        )
    return ByModel(model, Prompts(chosen.prompts), pictures, form)


def _service(chosen: Namespace, stop: Event, until_the_end: ExitStack) -> Service:
    made = Service(chosen.service, chosen.project, _key(PROGRAM_KEY), sleep=stop.wait)
    return until_the_end.enter_context(closing(made))


def _asker(chosen: Namespace, service: Service, stop: Event, until_the_end: ExitStack) -> Asker:
    form = None if chosen.coordinates == AUTO else Form(chosen.coordinates)
    prompts = Prompts(chosen.prompts)
    return Asker(_model(chosen, stop, until_the_end), prompts, _pictures(chosen, service), form)


def _pictures(chosen: Namespace, service: Service | Requester) -> PictureLoader:
    return PictureLoader(service.load, longest=chosen.longest_side, multiple=chosen.multiple)


def _model(chosen: Namespace, stop: Event, until_the_end: ExitStack) -> ServedModel:
    if not chosen.server or not chosen.model:
        raise WrongUse("Name the model by --server and --model, or a function by --predict (command propose).")
    limits = Limits(chosen.most_calls, chosen.most_tokens, chosen.most_money, chosen.price_in, chosen.price_out)
    if limits.money is not None and not limits.price_in and not limits.price_out:
        raise WrongUse("--most-money needs the prices of a million tokens: --price-in and --price-out.")
    key = _plain(MODEL_KEY, os.environ.get(MODEL_KEY, "").strip() or "none")
    replies, spending = Replies(chosen.work), SpendingLimit(limits)
    for reply in replies:
        spending.count(reply.tokens_in, reply.tokens_out)
    made = ServedModel(
        chosen.server,
        chosen.model,
        key=key,
        replies=replies,
        spending=spending,
        seed=chosen.seed,
        without=chosen.without,
        timeout=chosen.timeout,
        sleep=stop.wait,
    )
    return until_the_end.enter_context(closing(made))


def _tasks(service: Service, chosen: Namespace) -> list[str]:
    """Return the tasks to answer: those that were chosen, or all that the program has."""
    theirs = [task["task"] for task in service.tasks() if task["task"] in TASKS]
    if not theirs:
        raise WrongUse(f"The program has access to none of the six tasks in {chosen.project}: give it by make_api_key.")
    if missing := [task for task in chosen.tasks if task not in theirs]:
        raise WrongUse(f"The program has no access to {missing[0]}: it has {', '.join(theirs)}.")
    return chosen.tasks or theirs


def _key(name: str) -> str:
    key = os.environ.get(name, "").strip()
    if not key:
        kind = "requester's token, from Tokens" if name == REQUESTER_TOKEN else "program's key, from make_api_key"
        raise WrongUse(f"Put the {kind}, into the variable {name} of the environment.")
    return _plain(name, key)


def _plain(name: str, key: str) -> str:
    """Return a key that can be sent. Raises WrongUse."""
    if not (key.isascii() and key.isprintable()):
        raise WrongUse(f"The key in {name} holds a character that no key has: copy it again.")
    return key


def _end(tally: SkipTally, spending: SpendingLimit | None) -> None:
    for line in tally.lines():
        print(line)
    if spending:
        print(f"Spent in this folder: {spending}.")
