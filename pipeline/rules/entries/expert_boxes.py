"""Expert boxes [paper 3.3.1]: let an expert draw, move, delete and accept boxes."""

from typing import Any

from annotation.rules.box import Box
from annotation.rules.states import BoxState
from pipeline.rules.entries.expert import ExpertError, at_rest
from pipeline.rules.image.chain_steps import Act, add_box, settle_box
from pipeline.rules.progress.progress import BoxProgress, Cause


def draw(act: Act, *, chain: int, box: list[int]) -> None:
    """Add an accepted box to a chain."""
    _check_box(box)
    add_box(act, at_rest(act, chain), Box(*box), BoxState.ACCEPTED, None)


def delete_box(act: Act, *, box: int) -> None:
    own = _kept_box(act, box, "delete")
    at_rest(act, own.chain)
    if own.state is BoxState.ACCEPTED:
        settle_box(act, own, BoxState.DISCARDED, Cause.EXPERT)


def move_box(act: Act, *, box: int, to: list[int]) -> None:
    """Put an accepted box in place of this one, which is discarded: the record keeps both."""
    _check_box(to)
    own = _kept_box(act, box, "move")
    if Box(*to) == own.box:
        raise ExpertError(f"Box {box} lies there already.")
    delete_box(act, box=box)
    draw(act, chain=own.chain, box=to)


def accept_box(act: Act, *, box: int) -> None:
    """Accept a box that workers judged bad, or that nobody has judged yet."""
    own = act.progress.boxes.get(box)
    if own is None or own.state is BoxState.ACCEPTED:
        raise ExpertError(f"There is no box {box} that was discarded or waits to be judged.")
    if own.chain not in act.progress.chains:
        raise ExpertError(f"The chain of box {box} is gone: draw the box for another chain.")
    at_rest(act, own.chain)
    settle_box(act, own, BoxState.ACCEPTED, Cause.EXPERT)


def _kept_box(act: Act, number: int, verb: str) -> BoxProgress:
    own = act.progress.boxes.get(number)
    if own is None or own.state is BoxState.DISCARDED:
        raise ExpertError(f"There is no box {number} to {verb}.")
    return own


def _check_box(box: Any) -> None:
    whole = isinstance(box, list) and [type(edge) for edge in box] == [int] * 4
    if not whole or not 0 <= box[0] < box[2] or not 0 <= box[1] < box[3]:
        raise ExpertError(f"A box is [x0, y0, x1, y1] in whole pixels, at least 1 x 1, not {box!r}.")
