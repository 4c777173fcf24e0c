"""Selective search of a drawn picture."""

import pytest

from evaluation.localization.proposals.selective_search import selective_search
from tests.support.drawn_objects import check_finder


@pytest.mark.slow
def test_objects_of_a_drawn_picture_are_found() -> None:
    pytest.importorskip("cv2", reason="needs the extra evaluation-vision")
    check_finder(selective_search)
