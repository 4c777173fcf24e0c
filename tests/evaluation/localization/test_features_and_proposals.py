"""A drawn picture with two objects, and the check that a finder of regions finds them.
A phrase's detector follows from its head noun.
Equations 1 to 3 on tables worked by hand.
Features made without networks: colours, edges and place of a region.
Word vectors from files, and trained ones.
Files of proposals: bad lines are named, scores give the order, and what a step writes can be read again.
Regions without pixels: a grid, and the gold boxes.
Edge boxes of a drawn picture, and of photographs with known objects.
Selective search of a drawn picture.
"""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PIL import Image, ImageDraw

from evaluation import errors
from evaluation.command_line import main
from evaluation.errors import InputError, MissingExtra
from evaluation.localization import cues
from evaluation.localization.cues import detector_class, read_detector_words
from evaluation.localization.embedding import features
from evaluation.localization.embedding.phrase_vectors import read_word_vectors, train_word_vectors, words_of_caption
from evaluation.localization.proposals import edge_boxes, edge_map, gold_pool, grid, inside, selective_search
from evaluation.scoring import iou
from tests.support.localization_export import boxes_of, flat_picture, write_export
from tests.support.table import case, row

OBJECTS = np.array([[40, 30, 130, 120], [180, 60, 290, 190]], float)


def drawn() -> Image.Image:
    """Two ellipses of plain colours on a shaded ground."""
    shades = np.linspace(90, 140, 320).astype(np.uint8)
    picture = Image.fromarray(np.broadcast_to(shades[None, :, None], (220, 320, 3)).copy())
    for box, color in zip(OBJECTS, ((220, 40, 40), (30, 60, 210)), strict=True):
        ImageDraw.Draw(picture).ellipse(box.tolist(), fill=color)
    return picture


def check_finder(finder: Callable[[Image.Image, int], np.ndarray]) -> None:
    """Fail unless the finder finds both objects, inside the picture, in the same order every time, at any size."""
    picture = drawn()
    found = finder(picture, 100)
    assert 2 <= len(found) <= 100 and iou(OBJECTS, found).max(axis=1).min() > 0.7
    assert found.min() >= 0 and (found[:, 2] <= 320).all() and (found[:, 3] <= 220).all()
    assert np.array_equal(finder(picture, 100), found)
    # A picture above the working size has its boxes in its own pixels.
    assert iou(OBJECTS * 4, finder(picture.resize((1280, 880)), 100)).max(axis=1).min() > 0.7


def test_detectors_by_the_head_noun() -> None:
    words = read_detector_words()
    assert len(set(words.values())) == 20
    assert detector_class(["two", "young", "Men"], words) == "person"
    assert detector_class(["a", "horse", "cart"], words) is None
    assert detector_class(["his", "bike", "."], words) == "bicycle" and detector_class([".", "!"], words) is None
    assert detector_class(["a", "cart"], {"cart": "vehicle"}) == "vehicle"


EMBEDDING = np.array([0.3, 0.6, 0.5])
DETECTOR = np.array([0.9, 0.2, 0.5])
BASE, EQUATION_2 = [0.2, 0.7, 0.5], [0.34, 0.66, 0.56]
DISTANCES_SIZE = np.array([0.1, 0.5, 0.2])
COLOR = np.array([0.25, 0.75, 1.0])


def close(values: object) -> object:
    return pytest.approx(values, abs=1e-9)


def colored(scores: np.ndarray | None, size: float, color: float) -> np.ndarray:
    return cues.with_color(np.array(BASE), DISTANCES_SIZE, scores, size_weight=size, color_weight=color)


@case("equation 1", cues.with_detector(EMBEDDING, DETECTOR), BASE)
@case("equation 1 without a detector", cues.with_detector(EMBEDDING, None), EMBEDDING)
@case("a detector alone", cues.detector_or_embedding(EMBEDDING, DETECTOR), [0.1, 0.8, 0.5])
@case("an embedding alone", cues.detector_or_embedding(EMBEDDING, None), EMBEDDING)
@case("equation 2", cues.with_size(np.array(BASE), DISTANCES_SIZE, 0.2), EQUATION_2)
@case("equation 3", colored(COLOR, 0.1, 0.3), [0.435, 0.545, 0.38])
@case("a size of weight zero leaves equation 1", cues.with_size(np.array(BASE), DISTANCES_SIZE, 0), BASE)
@case("weights of zero leave equation 1", colored(COLOR, 0, 0), BASE)
@case("without colour scores equation 2 is left with a weight of 0", colored(None, 0.2, 0), EQUATION_2)
@case("without colour scores equation 2 is left with a weight of 0.3", colored(None, 0.2, 0.3), EQUATION_2)
@case("without colour scores equation 2 is left with a weight of 0.9", colored(None, 0.2, 0.9), EQUATION_2)
def test_equations_1_to_3(found: np.ndarray, expected: list[float]) -> None:
    assert found == close(expected)


def test_shares_of_the_picture() -> None:
    boxes = np.array([[0, 0, 10, 20], [5, 5, 10, 10], [-5, 0, 40, 20]])
    assert cues.shares(boxes, 20, 20) == close([0.5, 0.0625, 1])


def test_a_phrase_of_two_types_has_the_weight_of_the_first_and_weights_above_one_are_refused() -> None:
    weights = {"scene": 0.2, "other": 0.4}
    kinds: list[tuple[str, ...]] = [("scene", "other"), ("people",), ()]
    assert [cues.weight_of(types, weights) for types in kinds] == [0.2, 0.1, 0.1]
    with pytest.raises(ValueError, match="sum to more than 1"):
        cues.with_color(EMBEDDING, DISTANCES_SIZE, COLOR, size_weight=0.6, color_weight=0.5)


def test_features_tell_colours_edges_and_places_apart() -> None:
    picture = Image.new("RGB", (100, 100), (20, 20, 20))
    picture.paste((230, 20, 20), (0, 0, 50, 50))
    stripes = np.zeros((50, 50, 3), dtype=np.uint8)
    stripes[::6] = 255
    picture.paste(Image.fromarray(stripes), (50, 50))
    maps = features.picture_maps(picture)
    boxes = np.array([[0, 0, 50, 50], [50, 0, 100, 50], [50, 50, 100, 100], [5, 5, 45, 45]])
    red, dark, striped, inner = features.region_features(maps, boxes)
    assert red.shape == (features.SIZE,) and np.isfinite(red).all()
    colors = slice(0, 4 * features.BINS)
    assert red[colors] == pytest.approx(inner[colors], abs=1e-6)
    assert np.abs(red[colors] - dark[colors]).max() > 0.9
    edges = slice(4 * features.BINS, features.SIZE - 5)
    assert np.linalg.norm(striped[edges]) == pytest.approx(1, abs=1e-5)
    # Lines that lie have slopes up and down: the middle one of nine orientations.
    assert striped[edges].reshape(16, 9).sum(axis=0).argmax() == 4 and not inner[edges].any()


def test_boxes_smaller_than_a_pixel_and_at_the_edge_have_features() -> None:
    maps = features.picture_maps(flat_picture((10, 200, 30), (1000, 500)))
    boxes = np.array([[999.5, 499.5, 1000, 500], [0, 0, 0.2, 0.2], [0, 0, 1000, 500]])
    assert np.isfinite(features.region_features(maps, boxes)).all()
    assert features.region_colors(maps, boxes).sum(axis=1) == pytest.approx([1, 1, 1])
    assert features.region_features(maps, np.zeros((0, 4))).shape == (0, features.SIZE)


@row((255, 255, 255), (100, 0, 0))
@row((0, 0, 0), (0, 0, 0))
@row((255, 0, 0), (53.24, 80.09, 67.20))
@row((0, 0, 255), (32.30, 79.19, -107.86))
@row((128, 128, 128), (53.59, 0, 0))
def test_known_colours_in_lab(color: tuple[int, int, int], expected: tuple[float, float, float]) -> None:
    assert features.lab(np.array([[color]], dtype=np.uint8))[0, 0] == pytest.approx(expected, abs=0.02)


def test_a_box_has_five_numbers() -> None:
    assert features.geometry(np.array([10, 0, 30, 50]), 100, 100) == pytest.approx([0.2, 0.25, 0.2, 0.5, 0.1])


def test_vectors_are_read_from_text_and_from_binary_files(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("3 2\nMan 1 2\ndog -0.5 3\nman 9 9\n")
    data = b"3 2\n" + b"".join(
        word + b" " + struct.pack("<2f", *numbers) + b"\n"
        for word, numbers in ((b"Man", (1, 2)), (b"dog", (-0.5, 3)), (b"man", (9, 9)))
    )
    (tmp_path / "b.bin").write_bytes(data)
    for name in ("t.txt", "b.bin"):
        found = read_word_vectors(tmp_path / name)
        assert dict(found.rows) == {"man": 0, "dog": 1} and found.vectors.tolist() == [[1, 2], [-0.5, 3]]
        assert dict(read_word_vectors(tmp_path / name, {"dog"}).rows) == {"dog": 0}
        assert found.rows_of(["dog", "cat", "man"]) == [1, 0]


@row("man 1 2\n", "the first line must hold two numbers")
@row("2 2\nman 1 2\ndog 1\n", "line 3: a word and 2 numbers")
@row("2 300\nman \x01\x02", "the file ends in word 1 of 2")
def test_bad_files_of_vectors_are_refused(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_word_vectors(tmp_path / "bad.txt")


def test_trained_vectors_repeat_and_put_like_words_near_each_other() -> None:
    pytest.importorskip("gensim", reason="needs the extra evaluation")
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
    monkeypatch.setattr(errors, "import_module", Mock(side_effect=ImportError))
    with pytest.raises(MissingExtra, match=r"needs gensim.*evaluation"):
        train_word_vectors([["a"]])


def test_words_of_a_caption() -> None:
    assert words_of_caption("A man's T-shirt, 2 dogs.") == ["a", "man's", "t-shirt", "2", "dogs"]


COUNT = 24
GOLD = {f"image{number:03d}": np.array([*boxes_of(number).values()], float) for number in range(COUNT)}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("plain") / "export", COUNT)


def run(data: Path, out: Path, *more: object) -> dict[str, float]:
    arguments = ["localization", "proposals", "--data", data, "--out", out, "--no-charts", *more]
    assert main([str(each) for each in arguments]) == 0
    figures: dict[str, float] = json.loads((out / "report.json").read_text())["figures"]
    return figures


@row("{", "line 1 is no JSON")
@row('{"image": "other", "boxes": []}', "line 1: image 'other' is not in the export")
@row('{"image": "image000", "boxes": [[0, 0, 1]]}', "must be a list of [x0, y0, x1, y1]")
@row('{"image": "image000", "boxes": [[0, 0, NaN, 5]]}', "line 1: NaN is not a number")
@row('{"image": "image000", "boxes": [[0, 0, 201, 5]]}', "is not inside 200 x 100 pixels")
@row('{"image": "image000", "boxes": [[0, 0, 9, 5]], "scores": [1, 2]}', "one finite number for each of 1 boxes")
@row('{"image": "image000", "boxes": []}\n{"image": "image000", "boxes": []}', "line 2: image image000 has")
@row('{"image": "image000", "boxes": []}', "no proposals for image image001 (23 images have none)")
def test_bad_lines_of_proposals_are_named(
    line: str, sentence: str, export: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    file = tmp_path / "proposals.jsonl"
    file.write_text(line + "\n")
    assert sentence in refused("localization", "proposals", "--data", export, "--proposals", file)


def test_proposals_of_a_file_are_ranked_by_score_and_cut(export: Path, tmp_path: Path) -> None:
    lines = [
        {"image": name, "boxes": [[0, 0, 5, 5], *own.tolist()], "scores": [5, 1, 2, 3, 4]} for name, own in GOLD.items()
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    more = ["--proposals", tmp_path / "p.jsonl"]
    assert run(export, tmp_path / "out", *more)["R@200"] == 100
    two = run(export, tmp_path / "out", *more, "--most", 2)
    # A tiny box and the sky are left: only skies are found.
    assert (two["R@2"], two["bound.scene"], two["bound.people"]) == (25, 100, 0)
    assert run(export, tmp_path / "next", "--proposals", tmp_path / "out/proposals.jsonl")["R@200"] == 25


def test_a_grid_covers_large_objects_anywhere() -> None:
    boxes = grid(400, 300)
    assert len(boxes) <= 200 and len(np.unique(boxes, axis=0)) == len(boxes)
    assert boxes.min() >= 0 and (boxes[:, 2] <= 400).all() and (boxes[:, 3] <= 300).all()
    lot = np.random.default_rng(1)
    corners = lot.uniform(0, 0.5, (500, 2))
    objects = np.hstack([corners, corners + lot.uniform(0.4, 0.5, (500, 2))]) * [400, 300, 400, 300]
    assert (iou(objects, boxes).max(axis=1) >= 0.5).mean() > 0.95
    assert len(grid(400, 300, 7)) == 7


def test_the_gold_pool_has_each_box_once_the_largest_first() -> None:
    found = gold_pool([(0, 0, 2, 2), (5, 5, 9, 9), (0, 0, 2, 2), (1, 1, 3, 3)])
    assert found.tolist() == [[5, 5, 9, 9], [0, 0, 2, 2], [1, 1, 3, 3]]
    assert gold_pool([]).shape == (0, 4)


def test_boxes_are_cut_to_the_picture_and_those_outside_dropped() -> None:
    boxes = np.array([[-5, -5, 10, 10], [95, 40, 120, 60], [100, 0, 110, 10]], float)
    assert inside(boxes, 100, 50).tolist() == [[0, 0, 10, 10], [95, 40, 100, 50]]


@pytest.mark.parametrize("find", [edge_boxes, pytest.param(selective_search, marks=pytest.mark.slow)])
def test_objects_of_a_drawn_picture_are_found(find: Callable[[Image.Image, int], np.ndarray]) -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation")
    check_finder(find)


@pytest.mark.slow
def test_two_in_three_large_objects_of_photographs_are_among_200_regions(data_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation")
    (tmp_path / "eight").mkdir()
    for picture in sorted((data_folder / "coco/images").iterdir())[:8]:
        (tmp_path / "eight" / picture.name).symlink_to(picture)
    more = ["--method", "edge_boxes", "--data", str(data_folder / "coco"), "--pictures", str(tmp_path / "eight")]
    assert main(["localization", "proposals", *more, "--no-charts", "--out", str(tmp_path / "out")]) == 0
    figures = json.loads((tmp_path / "out/report.json").read_text())["figures"]
    assert figures["images"] == 8 and figures["objects.large"] > 15
    assert figures["R@200.large"] >= 65
    assert figures["R@10.large"] < figures["R@50.large"] < figures["R@200.large"]
    assert "Images without a photograph, left out: 72." in (tmp_path / "out/report.md").read_text()


def test_a_border_is_one_or_two_pixels_wide_and_its_direction_is_across_it() -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation")
    picture = np.full((60, 80, 3), 40, dtype=np.uint8)
    picture[:, 40:] = (200, 60, 60)
    strength, direction = edge_map(picture)
    assert strength.shape == direction.shape == (60, 80)
    edges = strength > 0.2
    assert set(np.flatnonzero(edges.any(axis=0))) <= {39, 40} and edges.any(axis=1).all()
    assert np.minimum(direction[edges], np.pi - direction[edges]) == pytest.approx(0, abs=0.05)
    turned = edge_map(picture.transpose(1, 0, 2).copy())
    assert turned[1][turned[0] > 0.2] == pytest.approx(np.pi / 2, abs=0.05)
    assert edge_map(np.full((20, 20, 3), 90, dtype=np.uint8))[0].max() < 0.01
