"""Edge boxes of a drawn picture, and of photographs with known objects."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluation.command_line import main
from evaluation.localization.proposals.edge_boxes import edge_boxes, edge_map, inside
from tests.support.drawn_objects import check_finder


def test_objects_of_a_drawn_picture_are_found() -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation-vision")
    check_finder(edge_boxes)


@pytest.mark.slow
def test_two_in_three_large_objects_of_photographs_are_among_200_regions(data_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation-vision")
    (tmp_path / "eight").mkdir()
    for picture in sorted((data_folder / "coco/images").iterdir())[:8]:
        (tmp_path / "eight" / picture.name).symlink_to(picture)
    more = ["--method", "edge_boxes", "--data", str(data_folder / "coco"), "--pictures", str(tmp_path / "eight")]
    assert main(["localization", "proposals", *more, "--no-charts", "--out", str(tmp_path / "out")]) == 0
    figures = json.loads((tmp_path / "out/report.json").read_text())["figures"]
    assert figures["images"] == 8 and figures["objects.large"] > 15
    assert figures["R@200.large"] >= 65
    assert figures["R@10.large"] < figures["R@50.large"] < figures["R@200.large"]
    assert "72 images have no photograph and were left out." in (tmp_path / "out/report.md").read_text()


def test_boxes_are_cut_to_the_picture_and_those_outside_dropped() -> None:
    boxes = np.array([[-5, -5, 10, 10], [95, 40, 120, 60], [100, 0, 110, 10]], float)
    assert inside(boxes, 100, 50).tolist() == [[0, 0, 10, 10], [95, 40, 100, 50]]


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
