from pathlib import Path

import pytest

from exchange.coco.read import read_coco
from exchange.detect import count_images, detect_format, reader_for
from exchange.problems import SourceError


def touch(path: Path, *names: str) -> None:
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Sentences/1.txt", "flickr30k-entities"),
        ("captions.json", "coco"),
        ("annotations/captions_val2017.json", "coco"),
        ("captions.csv", "folder"),
        ("captions.jsonl", "folder"),
        ("refs(unc).p", "refcoco"),
        ("refs.json", "refcoco"),
        ("region_descriptions.json", "visual-genome"),
    ],
)
def test_it_knows_each_format_by_its_files(tmp_path: Path, file: str, name: str) -> None:
    touch(tmp_path, file)
    assert detect_format(tmp_path) == name


def test_it_says_what_it_looked_for(tmp_path: Path) -> None:
    touch(tmp_path, "a.jpg")
    with pytest.raises(SourceError) as raised:
        detect_format(tmp_path)
    message = str(raised.value)
    for looked_for in (
        "Sentences/",
        "captions*.json",
        "captions.csv",
        "captions.jsonl",
        "refs*.p",
        "region_descriptions",
    ):
        assert looked_for in message


def test_it_does_not_guess_between_two(tmp_path: Path) -> None:
    touch(tmp_path, "Sentences/1.txt", "captions.csv")
    with pytest.raises(SourceError, match="could be any of flickr30k-entities, folder: choose one with --format"):
        detect_format(tmp_path)


def test_it_refuses_a_file(tmp_path: Path) -> None:
    touch(tmp_path, "a.jpg")
    with pytest.raises(SourceError, match="is not a folder"):
        detect_format(tmp_path / "a.jpg")


def test_it_gives_the_reader_of_a_name() -> None:
    assert reader_for("coco") is read_coco
    with pytest.raises(ValueError, match="unknown format 'pascal': choose one of flickr30k-entities, coco, folder"):
        reader_for("pascal")


def test_it_counts_images_for_the_progress_bar(tmp_path: Path) -> None:
    touch(tmp_path, "Sentences/1.txt", "Sentences/2.txt", "Sentences/.hidden.txt", "a.jpg", "b/c.PNG", "notes.md")
    (tmp_path / "captions.json").write_text('{"images": [{"file_name": "a"}, {"file_name" : "b"}, {"file_name": "c"}]}')
    assert count_images(tmp_path, "flickr30k-entities") == 2
    assert count_images(tmp_path, "coco") == 3
    assert count_images(tmp_path, "folder") == 2


def test_it_detects_and_counts_the_real_data(data_folder: Path) -> None:
    for name, count in (("flickr30k-entities", 500), ("coco", 80)):
        assert detect_format(data_folder / name) == name
        assert count_images(data_folder / name, name) == count
