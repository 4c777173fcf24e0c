"""The command line: reads the options, runs a command, and ends with one sentence if it cannot go on."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import ExitStack, closing
from threading import Event

from clients.annotator.answer import Answering
from clients.annotator.asker import Asker
from clients.annotator.coordinates import Form
from clients.annotator.detector import ByFunction
from clients.annotator.errors import ColleagueError, WrongUse
from clients.annotator.find_form import NAME_IT, stored_form
from clients.annotator.model import ServedModel
from clients.annotator.options import AUTO, parser
from clients.annotator.pictures import PictureLoader
from clients.annotator.prompts import Prompts, write_prompts
from clients.annotator.propose import ByModel, Predictor, propose
from clients.annotator.questions import DRAWING, TASKS
from clients.annotator.replies import Replies
from clients.annotator.service import Requester, Service
from clients.annotator.spending import Limits, SpendingLimit
from clients.annotator.tally import SkipTally
from clients.annotator.terminal import shown
from clients.annotator.try_out import try_out

PROGRAM_KEY, REQUESTER_TOKEN, MODEL_KEY = "COLLEAGUE_KEY", "CHAINBOX_TOKEN", "COLLEAGUE_MODEL_KEY"
"""Names of the variables of the environment that hold the keys, which are written nowhere."""
INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run a command. Returns 0; 1 if it could not go on, 2 for wrong use, 130 after Ctrl-C."""
    chosen = parser().parse_args(list(arguments))
    try:
        with ExitStack() as until_the_end:
            COMMANDS[chosen.command](chosen, until_the_end)
    except (ColleagueError, OSError) as error:
        print(shown(f"colleague {chosen.command}: {error}"), file=sys.stderr)
        return error.exit_code if isinstance(error, ColleagueError) else 1
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
