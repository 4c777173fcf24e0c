"""A small model learns what its atoms tell, and an interrupted training ends with the same bits."""

import math
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.errors import InputError
from evaluation.work import PartialResults
from tests.evaluation.oracle.made_up import numbered_examples

torch = pytest.importorskip("torch", reason="needs the extra evaluation-oracle")

from evaluation.oracle.model.beam_search import search  # noqa: E402  needs torch
from evaluation.oracle.model.caption_model import CaptionModel, Shape  # noqa: E402
from evaluation.oracle.model.device import device_of  # noqa: E402
from evaluation.oracle.model.training import (  # noqa: E402
    LAST_RATE,
    Trained,
    Training,
    perplexity,
    rate_share,
    state_of,
    train,
)

SHAPE = Shape(words=12, atoms=6, word_size=12, atom_size=12, state_size=24, dropout=0.1)
PROGRAM = """
from pathlib import Path
from tests.evaluation.oracle.model.test_training import trained
from evaluation.work import PartialResults
trained(PartialResults(Path({folder!r})), say=lambda words: print(words, flush=True), epochs=400)
"""


def trained(
    kept: PartialResults | None = None,
    say: Any = lambda _: None,
    epochs: int = 6,
    device: str = "cpu",
    **more: Any,
) -> Trained:
    """Train the small model with one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        training = Training(epochs, rate=0.01, batch=32, patience=epochs, **more)
        return train(
            SHAPE, numbered_examples(600), numbered_examples(100, seed=1), training, kept=kept, say=say, device=device
        )
    finally:
        torch.set_num_threads(before)


def bits(one: Trained) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in state_of(one.model).items()}


def test_the_perplexity_falls_and_the_atom_is_said() -> None:
    found = trained()
    assert found.perplexities[-1] < found.perplexities[0]
    assert found.perplexities[-1] == min(found.perplexities)
    written = search(found.model, [(atom,) for atom in range(6)])
    assert [own[:2] for own in written] == [[4, 5 + atom] for atom in range(6)]
    assert all(number > 3 for own in written for number in own)


def test_without_atoms_the_second_word_is_a_guess() -> None:
    bare = [(caption, ()) for caption, _ in numbered_examples(600)]
    model = train(Shape(12, 0, 12, 12, 24), bare, bare[:100], Training(4, rate=0.01, batch=32)).model
    assert perplexity(model, bare) > 1.2 * perplexity(trained(epochs=4).model, numbered_examples(600))


def test_perplexity_is_the_exponent_of_the_mean_loss_of_words_and_ends() -> None:
    model = trained(epochs=1).model
    examples = numbered_examples(20, seed=2)
    total, words = 0.0, 0
    for caption, own in examples:
        state, phi = None, model.phi([own])
        for word, following in pairwise(caption):
            hidden, state = model.states(torch.tensor([[word]]), phi, state)
            total -= float(torch.log_softmax(model.logits(hidden[0, 0]), dim=0)[following].detach())
            words += 1
    assert perplexity(model, examples) == pytest.approx(math.exp(total / words), rel=1e-5)


def test_the_beam_finds_no_worse_a_sentence_than_the_best_word_at_each_step() -> None:
    model = trained(epochs=2).model

    def score(words: list[int], atom: int) -> float:
        from evaluation.oracle.model.caption_model import padded

        losses, _ = model.losses(padded([[1, *words, 2]]), [(atom,)])
        return -float(losses.mean().detach())

    bags = [(atom,) for atom in range(6)]
    for atom, (wide, greedy) in enumerate(zip(search(model, bags, 8), search(model, bags, 1), strict=True)):
        assert score(wide, atom) >= score(greedy, atom) - 1e-5


def test_the_same_seed_gives_the_same_bits_and_another_others() -> None:
    first, second, other = trained(epochs=2), trained(epochs=2), trained(epochs=2, seed=1)
    assert bits(first) == bits(second)
    assert bits(first) != bits(other)


def test_random_numbers_of_others_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1).item()
    torch.manual_seed(3)
    trained(epochs=1)
    assert torch.rand(1).item() == expected


@pytest.mark.parametrize("optimizer", ["adam", "adadelta"])
def test_a_training_goes_on_after_its_last_epoch_with_the_same_bits(optimizer: str, tmp_path: Path) -> None:
    def stop(words: str) -> None:
        if "epoch 2" in words:
            raise KeyboardInterrupt

    kept, told = PartialResults(tmp_path / "kept"), list[str]()
    with pytest.raises(KeyboardInterrupt):
        trained(kept, say=stop, epochs=4, optimizer=optimizer)
    again = trained(kept, say=told.append, epochs=4, optimizer=optimizer)
    assert [words.split(":")[0] for words in told] == ["model, epoch 3 of 4", "model, epoch 4 of 4"]
    whole = trained(epochs=4, optimizer=optimizer)
    assert bits(again) == bits(whole)
    assert again.perplexities == whole.perplexities
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_a_training_that_was_killed_goes_on_from_what_it_kept(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    program = [sys.executable, "-c", PROGRAM.format(folder=str(folder))]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[4]) as process:
        assert process.stdout is not None
        while "epoch 2" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    told: list[str] = []

    def stop(words: str) -> None:
        told.append(words)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(PartialResults(folder), say=stop, epochs=400)
    begun = int(told[0].split("epoch ")[1].split()[0])
    assert begun >= 3
    plain: list[str] = []

    def compare(words: str) -> None:
        plain.append(words)
        if len(plain) == begun + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(say=compare, epochs=400)
    assert [words.split(",")[:2] for words in plain[begun - 1 :]] == [words.split(",")[:2] for words in told]


def test_training_stops_when_the_perplexity_no_longer_falls() -> None:
    same = numbered_examples(8)
    other = [(list(reversed(caption[1:-1])), own) for caption, own in numbered_examples(30, seed=9)]
    unlike = [([1, *words, 2], own) for words, own in other]
    found = train(SHAPE, same, unlike, Training(60, rate=0.05, batch=8, patience=2))
    best = int(np.argmin(found.perplexities))
    assert len(found.perplexities) == best + 3 < 60
    assert perplexity(found.model, unlike) == pytest.approx(found.perplexities[best])


def test_the_rate_is_steady_and_then_falls_to_its_last_share() -> None:
    assert rate_share(0) == rate_share(0.6) == 1
    assert rate_share(0.8) == pytest.approx((1 + LAST_RATE) / 2)
    assert rate_share(1) == pytest.approx(LAST_RATE)


def test_a_device_is_the_processor_a_card_that_is_there_or_the_first_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert (device_of("cpu"), device_of("auto")) == ("cpu", "cpu")
    with pytest.raises(InputError, match=r"--device cuda: torch finds no such device here\. Found: cpu"):
        device_of("cuda")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert (device_of("mps"), device_of("auto")) == ("mps", "mps")


def test_all_that_is_read_beside_the_weights_is_on_their_device() -> None:
    """The device "meta" holds shapes without numbers, and refuses whatever lies on the processor."""
    for atoms in (6, 0):
        model = CaptionModel(Shape(12, atoms, 12, 12, 24)).to("meta").eval()
        hidden, _ = model.states(torch.zeros(3, 2, dtype=torch.long, device="meta"), model.phi([(1, 2), (3,)]))
        assert model.logits(hidden).shape == (3, 2, 12) and hidden.device == model.device == torch.device("meta")


def test_what_one_device_has_kept_is_no_beginning_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = PartialResults(tmp_path)
    said: list[str] = []
    trained(kept, said.append, epochs=2)
    monkeypatch.setattr(CaptionModel, "to", lambda self, device: self)  # a card that calculates like the processor
    begun = len(said)
    trained(kept, said.append, epochs=2, device="cuda")
    assert len(said) == begun + 2
    trained(kept, said.append, epochs=2)
    assert len(said) == begun + 2, "the processor's own are there"
