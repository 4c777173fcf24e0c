"""Captions by beam search: the best of a few sentences by log p divided by the number of words."""

from collections.abc import Sequence
from typing import Any

from evaluation.optional import need
from evaluation.oracle.known_atoms import Bag
from evaluation.oracle.model.caption_model import CaptionModel
from evaluation.oracle.model.vocabulary import END, PAD, START, UNKNOWN

torch = need("torch", "training a language model")
BEAM = 3
LONGEST = 30
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
    for _ in range(LONGEST):
        hidden, state = model.states(last[None], phi, state)
        steps = _next_words(model, hidden[0]).view(n, beam, words)
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
        state = tuple(one[:, rows] for one in state)
        last = word.view(-1)
        if done.all():
            break
    return [_until_end(own) for own in _best(history, scores / lengths, done)]


def _next_words(model: CaptionModel, hidden: Any) -> Any:
    found = torch.log_softmax(model.logits(hidden), dim=-1)
    found[:, [PAD, START, UNKNOWN]] = -torch.inf
    return found


def _best(history: Any, scores: Any, done: Any) -> list[list[int]]:
    """Return the best finished sentence of each bag, or the best unfinished one if none is finished."""
    ranked = torch.where(done | ~done.any(dim=1, keepdim=True), scores, -torch.inf)
    chosen = ranked.argmax(dim=1)
    return [history[row, place].tolist() for row, place in enumerate(chosen.tolist())]


def _until_end(numbers: Sequence[int]) -> list[int]:
    return [number for number in numbers if number not in (END, PAD)]
