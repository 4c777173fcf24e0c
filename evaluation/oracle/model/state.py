"""The state of a training as arrays: weights, the optimizer's moments, perplexities so far, the best weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluation.optional import need
from evaluation.oracle.model.caption_model import CaptionModel
from evaluation.partial_results import Arrays

torch = need("torch", "training a language model")


def state_of(
    model: CaptionModel, optimizer: Any = None, perplexities: Sequence[float] = (), best: Arrays | None = None
) -> dict[str, np.ndarray]:
    """Return copies of the weights; with an optimizer, of all that training goes on from."""
    found = {f"model.{name}": value.detach().numpy().copy() for name, value in model.state_dict().items()}
    if optimizer is not None:
        for number, moments in optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{number}.{name}": value.numpy().copy() for name, value in moments.items()}
    if perplexities:
        found["perplexities"] = np.array(perplexities)
    return found | {f"best.{name}": value for name, value in (best or {}).items()}


def restore(model: CaptionModel, optimizer: Any, arrays: Arrays) -> tuple[list[float], Arrays]:
    """Put the arrays into the model and the optimizer, if there is one.

    Return the perplexities so far and the best weights.
    """
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in _below(arrays, "model.").items()})
    if optimizer is not None:
        moments: dict[int, dict[str, Any]] = {}
        for name, value in _below(arrays, "optimizer.").items():
            number, _, moment = name.partition(".")
            moments.setdefault(int(number), {})[moment] = torch.from_numpy(value.copy())
        optimizer.load_state_dict({**optimizer.state_dict(), "state": moments})
    return arrays.get("perplexities", np.zeros(0)).tolist(), _below(arrays, "best.")


def _below(arrays: Arrays, prefix: str) -> dict[str, np.ndarray]:
    return {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
