"""Edges are thin, lie on the border of what is drawn, and know their direction."""

import numpy as np
import pytest

from evaluation.localization.proposals.edge_map import edge_map


def test_a_border_is_one_or_two_pixels_wide_and_its_direction_is_across_it() -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation-vision")
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
