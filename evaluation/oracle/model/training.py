"""Training an oracle [paper Yao 5.2]: epochs until the validation perplexity no longer falls, each kept for resuming.

An epoch depends on the state before it, its number and the seed alone, so that an interrupted training ends with the
same bits as one in a piece. More threads, or another device, may round otherwise.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.optional import need
from evaluation.oracle.model.caption_model import CaptionModel, Example, Shape, in_order, padded, shuffled
from evaluation.oracle.model.device import CPU
from evaluation.work import Arrays, PartialResults

torch = need("torch", "training a language model")
LONGEST_STEP = 5.0
"""The norm of a gradient at most."""
STEADY, LAST_RATE = 0.6, 0.1
"""Adam's rate stays for this share of all steps, then it falls evenly to this share of itself."""
Say = Callable[[str], object]
"""Hears a sentence after each epoch."""


@contextmanager
def seeded(seed: int, use: str) -> Iterator[None]:
    """Draw from numbers of this seed and use inside the block."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.SeedSequence([seed, *use.encode()]).generate_state(1)[0]))
        yield


@contextmanager
def one_number_of_threads(count: int) -> Iterator[None]:
    """Calculate with this number of threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def state_of(
    model: CaptionModel, optimizer: Any = None, perplexities: Sequence[float] = (), best: Arrays | None = None
) -> dict[str, np.ndarray]:
    """Return copies of the weights, which any device can read; with an optimizer, of all that training goes on from."""
    found = {f"model.{name}": value.detach().cpu().numpy().copy() for name, value in model.state_dict().items()}
    if optimizer is not None:
        for number, moments in optimizer.state_dict()["state"].items():
            found |= {f"optimizer.{number}.{name}": value.cpu().numpy().copy() for name, value in moments.items()}
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


@dataclass(frozen=True, slots=True)
class Training:
    """The settings of a training."""

    epochs: int
    optimizer: str = "adam"
    rate: float = 2e-3
    batch: int = 128
    patience: int = 2
    """Epochs without a better validation perplexity before training stops."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trained:
    """The model of the best epoch, and the validation perplexity after each epoch."""

    model: CaptionModel
    perplexities: tuple[float, ...]


def train(
    shape: Shape,
    examples: Sequence[Example],
    validation: Sequence[Example],
    training: Training,
    *,
    name: str = "model",
    key: Mapping[str, Any] | None = None,
    kept: PartialResults | None = None,
    say: Say = lambda _: None,
    device: str = CPU,
) -> Trained:
    """Train a model on captions with their atoms.

    `name`, `key`: of the model among those kept; the key holds all that the examples depend on. `device`: the model
    stays there; another one than the processor rounds otherwise, and does not go on with what the processor has kept.
    """
    store = kept or PartialResults()
    own: dict[str, Any] = {"shape": asdict(shape), "training": asdict(training), "data": key or {}}
    if device != CPU:
        own["device"] = device
    with seeded(training.seed, "start"):
        model = CaptionModel(shape).to(device)
    optimizer = _optimizer(model, training)
    found: list[float] = []
    best: Arrays = state_of(model)
    for epoch in range(training.epochs, 0, -1):
        if (arrays := store.find(f"{name}-epoch-{epoch}", own)) is not None:
            found, best = restore(model, optimizer, arrays)
            break
    for epoch in range(len(found) + 1, training.epochs + 1):
        if len(found) - int(np.argmin([math.inf, *found])) >= training.patience:
            break
        begun = time.monotonic()
        _epoch(model, optimizer, examples, training, epoch)
        found.append(perplexity(model, validation))
        if found[-1] == min(found):
            best = state_of(model)
        store.keep(f"{name}-epoch-{epoch}", own, state_of(model, optimizer, found, best))
        store.drop(f"{name}-epoch-{epoch - 1}", own)
        told = f"validation perplexity {found[-1]:.2f}, {time.monotonic() - begun:.0f} s"
        say(f"{name}, epoch {epoch} of {training.epochs}: {told}")
    restore(model, None, best)
    return Trained(model.eval(), tuple(found))


def perplexity(model: CaptionModel, examples: Sequence[Example], batch: int = 256) -> float:
    """Return exp of the mean of -log p over all words and ends of the captions."""
    model.eval()
    total, words = 0.0, 0
    with torch.inference_mode():
        for one in in_order(sorted(examples, key=lambda each: len(each[0])), batch):
            losses, _ = model.losses(padded([caption for caption, _ in one]), [own for _, own in one])
            total += float(losses.cpu().double().sum())  # some cards know no such numbers
            words += len(losses)
    return math.exp(total / words)


def _optimizer(model: CaptionModel, training: Training) -> Any:
    if training.optimizer == "adadelta":
        return torch.optim.Adadelta(model.parameters())
    return torch.optim.Adam(model.parameters(), lr=training.rate)


def rate_share(done: float) -> float:
    """Return the share of the rate when the share `done` of all steps is behind."""
    return 1 - (1 - LAST_RATE) * max(0.0, done - STEADY) / (1 - STEADY)


def _epoch(model: CaptionModel, optimizer: Any, examples: Sequence[Example], training: Training, epoch: int) -> None:
    model.train()
    rng = np.random.default_rng([training.seed, epoch])
    with seeded(training.seed, f"epoch {epoch}"):
        batches = shuffled(examples, training.batch, rng)
        for step, batch in enumerate(batches):
            if training.optimizer == "adam":
                done = (epoch - 1 + step / len(batches)) / training.epochs
                optimizer.param_groups[0]["lr"] = training.rate * rate_share(done)
            losses, _ = model.losses(padded([caption for caption, _ in batch]), [own for _, own in batch])
            optimizer.zero_grad()
            losses.mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), LONGEST_STEP)
            optimizer.step()
