"""The oracle's language model [paper Yao 3.1, 5.2]: an LSTM that reads each word beside the image's atoms."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from evaluation.errors import InputError, need
from evaluation.oracle.atoms import END, PAD, START, UNKNOWN, Bag
from evaluation.work import Arrays, PartialResults

torch = need("torch", "training a language model")
CPU, AUTO = "cpu", "auto"
CARDS = ("cuda", "mps")


def device_of(name: str) -> str:
    """Return the device of this name; of `auto`, the first card that torch finds, or the processor.

    Raises InputError for a card that torch does not find.
    """
    found = [card for card in CARDS if _is_there(card)]
    if name == AUTO:
        return next(iter(found), CPU)
    if name != CPU and name not in found:
        raise InputError(f"--device {name}: torch finds no such device here. Found: {', '.join([*found, CPU])}.")
    return name


def _is_there(card: str) -> bool:
    return bool(torch.cuda.is_available() if card == "cuda" else torch.backends.mps.is_available())


POOL = 40
"""Batches that are drawn together and sorted by length."""

Example = tuple[Sequence[int], Bag]
"""A caption's word numbers, and the atoms that it is to be said with."""
nn = torch.nn


def shuffled(examples: Sequence[Example], size: int, rng: np.random.Generator) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, in random order."""
    order = rng.permutation(len(examples)).tolist()
    batches: list[list[Example]] = []
    for start in range(0, len(order), size * POOL):
        pool = sorted((examples[place] for place in order[start : start + size * POOL]), key=lambda one: len(one[0]))
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return [batches[place] for place in rng.permutation(len(batches)).tolist()]


def in_order(examples: Sequence[Example], size: int) -> list[list[Example]]:
    """Return the examples in batches of up to `size`, as they stand."""
    return [list(examples[first : first + size]) for first in range(0, len(examples), size)]


def padded(captions: Sequence[Sequence[int]]) -> Any:
    """Return the captions as columns: a tensor of shape (longest, captions)."""
    found = np.full((max(map(len, captions)), len(captions)), PAD, dtype=np.int64)
    for column, caption in enumerate(captions):
        found[: len(caption), column] = caption
    return torch.from_numpy(found)


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes of a model."""

    words: int
    """Words known, with the four special ones."""
    atoms: int
    """Atoms known; 0: the model reads words alone."""
    word_size: int = 128
    atom_size: int = 128
    state_size: int = 256
    dropout: float = 0.3
    mean: bool = False
    """Whether Φ is the mean of the atoms' embeddings, not the sum."""


class CaptionModel(nn.Module):  # type: ignore[name-defined]  # torch may be missing
    """p(caption | atoms). Captions are rows of word numbers, padded at the end."""

    def __init__(self, shape: ModelShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.word_size)
        self.atoms = nn.EmbeddingBag(shape.atoms, shape.atom_size, mode="mean" if shape.mean else "sum")
        self.lstm = nn.LSTM(shape.word_size + (shape.atom_size if shape.atoms else 0), shape.state_size)
        self.deep = nn.Linear(shape.state_size, shape.word_size)
        self.bias = nn.Parameter(torch.zeros(shape.words))
        self.dropout = nn.Dropout(shape.dropout)
        # Much smaller ones leave the LSTM at the frequencies of words for epochs; larger ones make first guesses wild.
        nn.init.normal_(self.words.weight, 0, 0.3)
        nn.init.normal_(self.atoms.weight, 0, 0.3)

    @property
    def device(self) -> Any:
        """The device that holds the weights: all that is read beside them has to be there, too."""
        return self.bias.device

    def phi(self, bags: Sequence[Sequence[int]]) -> Any:
        """Return Φ of each bag: shape (bags, atom_size), or (bags, 0) if the model knows no atoms."""
        if not self.shape.atoms:
            return torch.zeros(len(bags), 0, device=self.device)
        offsets = torch.tensor([0, *map(len, bags)], device=self.device)[:-1].cumsum(0)
        atoms = [atom for bag in bags for atom in bag]
        return self.atoms(torch.tensor(atoms, dtype=torch.long, device=self.device), offsets)

    def states(self, words: Any, phi: Any, state: Any = None) -> tuple[Any, Any]:
        """Read words, shape (steps, captions), beside Φ. Return h of each step and the state after the last."""
        beside = phi.expand(words.shape[0], *phi.shape)
        return self.lstm(self.dropout(torch.cat([self.words(words), beside], dim=2)), state)

    def logits(self, hidden: Any) -> Any:
        """Return the scores of all words after states of any shape (..., state_size)."""
        deep = torch.tanh(self.deep(self.dropout(hidden)))
        return nn.functional.linear(deep, self.words.weight, self.bias)

    def losses(self, captions: Any, bags: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Return -log p of every word of the captions, end included, in one row, and the caption of each.

        `captions`: shape (steps, captions), from start to end, then padding.
        """
        captions = captions.to(self.device)
        hidden, _ = self.states(captions[:-1], self.phi(bags))
        targets = captions[1:]
        real = targets != PAD
        found = nn.functional.cross_entropy(self.logits(hidden[real]), targets[real], reduction="none")
        return found, real.nonzero()[:, 1]


BEAM = 3
MAX_CAPTION_WORDS = 30
"""Words of a caption at most."""
TOGETHER = 200
"""Captions that are searched for at once."""


def search(model: CaptionModel, bags: Sequence[Bag], beam: int = BEAM) -> list[list[int]]:
    """Return the word numbers of a caption for each bag, without start and end. No word is unknown."""
    model.eval()
    found: list[list[int]] = []
    with torch.inference_mode():
        for first in range(0, len(bags), TOGETHER):
            found += _search(model, bags[first : first + TOGETHER], beam)
    return found


def _search(model: CaptionModel, bags: Sequence[Bag], beam: int) -> list[list[int]]:
    """Grow `beam` sentences for each bag. Row i * beam + j holds the j-th best of bag i."""
    n, words, device = len(bags), model.shape.words, model.device
    phi = model.phi(bags).repeat_interleave(beam, dim=0)
    last = torch.full((n * beam,), START, device=device)
    history = torch.zeros(n, beam, 0, dtype=torch.long, device=device)
    scores = torch.full((n, beam), -torch.inf, device=device)
    scores[:, 0] = 0
    done = torch.zeros(n, beam, dtype=torch.bool, device=device)
    lengths = torch.zeros(n, beam, device=device)
    state: Any = None
    for _ in range(MAX_CAPTION_WORDS):
        hidden, state = model.states(last[None], phi, state)
        found = torch.log_softmax(model.logits(hidden[0]), dim=-1)
        found[:, [PAD, START, UNKNOWN]] = -torch.inf
        steps = found.view(n, beam, words)
        # A finished sentence goes on with padding alone, which costs nothing.
        steps[done] = -torch.inf
        steps[..., PAD] = torch.where(done, 0.0, -torch.inf)
        totals = scores[..., None] + steps
        longer = (lengths + (~done).float())[..., None]
        ranked = (totals / longer).view(n, -1).topk(beam, dim=1).indices
        parent, word = ranked // words, ranked % words
        scores = totals.view(n, -1).gather(1, ranked)
        lengths = longer[..., 0].gather(1, parent)
        done = done.gather(1, parent) | (word == END)
        history = torch.cat([history.gather(1, parent[..., None].expand(-1, -1, history.shape[2])), word[..., None]], 2)
        rows = (parent + torch.arange(n, device=device)[:, None] * beam).view(-1)
        state = tuple(layer[:, rows] for layer in state)
        last = word.view(-1)
        if done.all():
            break
    return [
        [number for number in words if number not in (END, PAD)] for words in _best(history, scores / lengths, done)
    ]


def _best(history: Any, scores: Any, done: Any) -> list[list[int]]:
    """Return the best finished sentence of each bag, or the best unfinished one if none is finished."""
    ranked = torch.where(done | ~done.any(dim=1, keepdim=True), scores, -torch.inf)
    chosen = ranked.argmax(dim=1)
    return [history[row, place].tolist() for row, place in enumerate(chosen.tolist())]


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
    shape: ModelShape,
    examples: Sequence[Example],
    validation: Sequence[Example],
    training: Training,
    *,
    name: str = "model",
    key: Mapping[str, Any] | None = None,
    partial_results: PartialResults | None = None,
    say: Say = lambda _: None,
    device: str = CPU,
) -> Trained:
    """Train a model on captions with their atoms.

    `name`, `key`: of the model among those kept; the key holds all that the examples depend on. `device`: the model
    stays there; another one than the processor rounds otherwise, and does not go on with what the processor has kept.
    """
    store = partial_results or PartialResults()
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
        for part in in_order(sorted(examples, key=lambda each: len(each[0])), batch):
            losses, _ = model.losses(padded([caption for caption, _ in part]), [atoms for _, atoms in part])
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
            losses, _ = model.losses(padded([caption for caption, _ in batch]), [atoms for _, atoms in batch])
            optimizer.zero_grad()
            losses.mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), LONGEST_STEP)
            optimizer.step()
