"""Expert review [paper 3.3.1]: let an action of an expert act; it is in the record like any judgment."""

from collections.abc import Callable
from inspect import signature
from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import BoxState, ChainState
from pipeline.protocol.image import expert, set_labels
from pipeline.protocol.image.chain_steps import Act, add_box, settle_box
from pipeline.protocol.image.expert import ExpertError, at_rest, chain_named
from pipeline.protocol.image.interventions import flag
from pipeline.protocol.state.progress import BoxProgress, Cause
from pipeline.protocol.tasks.task import Task


def draw(act: Act, *, chain: int, box: list[int]) -> None:
    """Add an accepted box to a chain."""
    _check_box(box)
    add_box(act, at_rest(act, chain), Box(*box), BoxState.ACCEPTED, None)


def delete_box(act: Act, *, box: int) -> None:
    deleted = _kept_box(act, box, "delete")
    at_rest(act, deleted.chain)
    if deleted.state is BoxState.ACCEPTED:
        settle_box(act, deleted, BoxState.DISCARDED, Cause.EXPERT)


def move_box(act: Act, *, box: int, to: list[int]) -> None:
    """Put an accepted box in place of this one, which is discarded: the record keeps both."""
    _check_box(to)
    moved = _kept_box(act, box, "move")
    if Box(*to) == moved.box:
        raise ExpertError(f"Box {box} lies there already.")
    delete_box(act, box=box)
    draw(act, chain=moved.chain, box=to)


def accept_box(act: Act, *, box: int) -> None:
    """Accept a box that workers judged bad, or that nobody has judged yet."""
    accepted = act.progress.boxes.get(box)
    if accepted is None or accepted.state is BoxState.ACCEPTED:
        raise ExpertError(f"There is no box {box} that was discarded or waits to be judged.")
    if accepted.chain not in act.progress.chains:
        raise ExpertError(f"The chain of box {box} is gone: draw the box for another chain.")
    at_rest(act, accepted.chain)
    settle_box(act, accepted, BoxState.ACCEPTED, Cause.EXPERT)


def _kept_box(act: Act, number: int, verb: str) -> BoxProgress:
    found = act.progress.boxes.get(number)
    if found is None or found.state is BoxState.DISCARDED:
        raise ExpertError(f"There is no box {number} to {verb}.")
    return found


def _check_box(box: Any) -> None:
    whole = isinstance(box, list) and [type(edge) for edge in box] == [int] * 4
    if not whole or not 0 <= box[0] < box[2] or not 0 <= box[1] < box[3]:
        raise ExpertError(f"A box is [x0, y0, x1, y1] in whole pixels, at least 1 x 1, not {box!r}.")


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
    reviewed = chain_named(act, chain)
    if reviewed.state is ChainState.REVIEW:
        raise ExpertError(f"Chain {chain} waits in review already.")
    flag(act, reviewed.mentions[0], Cause.EXPERT)


def ask_others(act: Act, *, chain: int, to: str) -> None:
    """Send a chain to a task with empty tallies, and spare those who have voted on the chain or drawn for it.

    Where the policy counts the answers to box quality, too, those are votes.
    """
    asked = chain_named(act, chain)
    if to in (ChainState.COMPLETE, ChainState.NON_VISUAL):
        raise ExpertError(f"Nobody is asked about a chain in state {to}: choose a task.")
    drawn = (box.worker for box in act.progress.boxes.values() if box.chain == asked.name)
    voting = {*act.rules.boxes.tallied, Task.BOX_DRAWING, Task.CHAIN_VERIFICATION}
    found = {*drawn, *(answer.worker for answer in asked.answers if answer.task in voting)}
    expert.send_sparing(act, chain, to, "", sorted(worker for worker in found if worker is not None))


ACTIONS: dict[str, Callable[..., None]] = {
    "review": review,
    "send": expert.send,
    "ask others": ask_others,
    "link": expert.set_link,
    "join": expert.join,
    "split": expert.split,
    "draw": draw,
    "move box": move_box,
    "delete box": delete_box,
    "accept box": accept_box,
    "retype": expert.retype,
    "chunk": expert.chunk,
    "rechunk": expert.rechunk,
    set_labels.CONFIRM: set_labels.confirm,
    set_labels.TAKE_BACK: set_labels.take_back,
}
