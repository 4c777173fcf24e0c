"""Features made without networks: colours, edges and place of a region."""

import numpy as np
import pytest
from PIL import Image

from evaluation.localization.embedding.builtin_features import (
    BINS,
    SIZE,
    geometry,
    histogram,
    lab,
    picture_maps,
    region_colors,
    region_features,
)
from tests.support.localization_export import flat_picture


def test_five_numbers_of_a_box() -> None:
    assert geometry(np.array([10, 0, 30, 50]), 100, 100) == pytest.approx([0.2, 0.25, 0.2, 0.5, 0.1])


def test_features_tell_colours_edges_and_places_apart() -> None:
    picture = Image.new("RGB", (100, 100), (20, 20, 20))
    picture.paste((230, 20, 20), (0, 0, 50, 50))
    stripes = np.zeros((50, 50, 3), dtype=np.uint8)
    stripes[::6] = 255
    picture.paste(Image.fromarray(stripes), (50, 50))
    maps = picture_maps(picture)
    boxes = np.array([[0, 0, 50, 50], [50, 0, 100, 50], [50, 50, 100, 100], [5, 5, 45, 45]])
    red, dark, striped, inner = region_features(maps, boxes)
    assert red.shape == (SIZE,) and np.isfinite(red).all()
    colors = slice(0, 4 * BINS)
    assert red[colors] == pytest.approx(inner[colors], abs=1e-6)
    assert np.abs(red[colors] - dark[colors]).max() > 0.9
    edges = slice(4 * BINS, SIZE - 5)
    assert np.linalg.norm(striped[edges]) == pytest.approx(1, abs=1e-5)
    # Lines that lie have slopes up and down: the middle one of nine orientations.
    assert striped[edges].reshape(16, 9).sum(axis=0).argmax() == 4
    assert not inner[edges].any()


def test_boxes_smaller_than_a_pixel_and_at_the_edge_have_features() -> None:
    maps = picture_maps(flat_picture((10, 200, 30), (1000, 500)))
    boxes = np.array([[999.5, 499.5, 1000, 500], [0, 0, 0.2, 0.2], [0, 0, 1000, 500]])
    found = region_features(maps, boxes)
    assert np.isfinite(found).all()
    assert region_colors(maps, boxes).sum(axis=1) == pytest.approx([1, 1, 1])
    assert region_features(maps, np.zeros((0, 4))).shape == (0, SIZE)


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ((255, 255, 255), (100, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((255, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 0, 255), (32.30, 79.19, -107.86)),
        ((128, 128, 128), (53.59, 0, 0)),
    ],
)
def test_known_colours_in_lab(color: tuple[int, int, int], expected: tuple[float, float, float]) -> None:
    assert lab(np.array([[color]], dtype=np.uint8))[0, 0] == pytest.approx(expected, abs=0.02)


def test_a_histogram_without_weight_is_zero() -> None:
    assert not histogram(np.zeros((2, 2), dtype=np.int64), np.zeros((2, 2))).any()
