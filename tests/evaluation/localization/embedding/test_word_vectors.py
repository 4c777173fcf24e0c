"""Word vectors from files, and trained ones."""

import struct
from pathlib import Path

import numpy as np
import pytest

from evaluation import optional
from evaluation.errors import InputError, MissingExtra
from evaluation.localization.embedding.word_vectors import read_word_vectors, train_word_vectors, words_of


def test_vectors_are_read_from_text_and_from_binary_files(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("3 2\nMan 1 2\ndog -0.5 3\nman 9 9\n")
    data = b"3 2\n" + b"".join(
        word + b" " + struct.pack("<2f", *numbers) + b"\n"
        for word, numbers in ((b"Man", (1, 2)), (b"dog", (-0.5, 3)), (b"man", (9, 9)))
    )
    (tmp_path / "b.bin").write_bytes(data)
    for name in ("t.txt", "b.bin"):
        found = read_word_vectors(tmp_path / name)
        assert dict(found.rows) == {"man": 0, "dog": 1}
        assert found.vectors.tolist() == [[1, 2], [-0.5, 3]]
        assert dict(read_word_vectors(tmp_path / name, {"dog"}).rows) == {"dog": 0}
        assert found.rows_of(["dog", "cat", "man"]) == [1, 0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("man 1 2\n", "the first line must hold two numbers"),
        ("2 2\nman 1 2\ndog 1\n", "line 3: a word and 2 numbers"),
        ("2 300\nman \x01\x02", "the file ends in word 1 of 2"),
    ],
)
def test_bad_files_of_vectors_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_word_vectors(tmp_path / "bad.txt")


def test_trained_vectors_repeat_and_put_like_words_near_each_other() -> None:
    pytest.importorskip("gensim", reason="needs the extra evaluation-words")
    lot = np.random.default_rng(0)
    animals, places = ["dog", "cat", "horse"], ["park", "street", "beach"]
    text = [[lot.choice(animals), "runs", "barks", lot.choice(animals)] for _ in range(400)]
    text += [[lot.choice(places), "lies", "sunny", lot.choice(places)] for _ in range(400)]
    sentences = [[str(word) for word in line] for line in text]
    found = train_word_vectors(sentences, size=16, epochs=40, seed=3)
    again = train_word_vectors(sentences, size=16, epochs=40, seed=3)
    assert found.rows == again.rows and np.array_equal(found.vectors, again.vectors)
    units = found.vectors / np.linalg.norm(found.vectors, axis=1, keepdims=True)
    dog, cat, park = (units[found.rows[word]] for word in ("dog", "cat", "park"))
    assert dog @ cat > dog @ park


def test_without_gensim_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> object:
        raise ImportError(module)

    monkeypatch.setattr(optional, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"needs gensim.*evaluation-words"):
        train_word_vectors([["a"]])


def test_words_of_a_caption() -> None:
    assert words_of("A man's T-shirt, 2 dogs.") == ["a", "man's", "t-shirt", "2", "dogs"]
