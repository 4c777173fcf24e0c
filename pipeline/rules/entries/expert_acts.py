"""Expert review [paper 3.3.1]: let an action of an expert act; it is in the record like any judgment."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from annotation.rules.states import ChainState
from pipeline.rules.entries import expert, expert_boxes
from pipeline.rules.entries.expert import ExpertError, chain_named
from pipeline.rules.entries.interventions import flag
from pipeline.rules.image.chain_steps import OF_NO_CHAIN, Act
from pipeline.rules.image.who_may_answer import bar, voters_of
from pipeline.rules.progress.progress import Cause


def act_as_expert(act: Act, data: dict[str, Any]) -> None:
    """Let {"action": one of ACTIONS, and its arguments} act. Raises ExpertError if it does not fit the image."""
    name = data.get("action")
    action = ACTIONS.get(str(name))
    if action is None:
        raise ExpertError(f"There is no action {name!r}. There are: {', '.join(ACTIONS)}.")
    if not act.progress.started and action not in (expert.chunk, expert.retype, expert.rechunk):
        raise ExpertError("Linking has not begun: only the phrases of this image can be changed yet.")
    given = {argument: value for argument, value in data.items() if argument != "action"}
    try:
        signature(action).bind(act, **given)
    except TypeError as error:
        raise ExpertError(f"The action {name!r} cannot be taken as it is written: {error}.") from error
    action(act, **given)


def review(act: Act, *, chain: int) -> None:
    """Send a chain to review: now, or as soon as its mentions are placed."""
    own = chain_named(act, chain)
    if own.state is ChainState.REVIEW:
        raise ExpertError(f"Chain {chain} waits in review already.")
    flag(act, own.mentions[0], Cause.EXPERT)


def ask_others(act: Act, *, chain: int, to: str) -> None:
    """Send a chain to a task with empty tallies, and bar those whose votes had counted from its first question."""
    own = chain_named(act, chain)
    barred = voters_of(act.progress, own)
    if to in (ChainState.COMPLETE, ChainState.NON_VISUAL):
        raise ExpertError(f"Nobody is asked about a chain in state {to}: choose a task.")
    expert.send(act, chain=chain, to=to)
    for question in act.progress.open.values():
        if question.task not in OF_NO_CHAIN and question.subject[0] == chain:
            for worker in barred:
                bar(question, worker)


ACTIONS: dict[str, Callable[..., None]] = {
    "review": review,
    "send": expert.send,
    "ask others": ask_others,
    "link": expert.set_link,
    "join": expert.join,
    "split": expert.split,
    "draw": expert_boxes.draw,
    "move box": expert_boxes.move_box,
    "delete box": expert_boxes.delete_box,
    "accept box": expert_boxes.accept_box,
    "retype": expert.retype,
    "chunk": expert.chunk,
    "rechunk": expert.rechunk,
}
