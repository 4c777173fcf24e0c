"""Answers of Mechanical Turk that hold something else than expected."""

from typing import Any

import pytest

from platforms.contract.errors import UnsureError
from platforms.mturk.client import parse
from platforms.mturk.wire_format import HITDetails


@pytest.mark.parametrize(
    ("values", "where"), [({}, "HITId"), ({"HITId": "1"}, "MaxAssignments"), ({"HITId": None}, "HITId")]
)
def test_an_answer_without_what_we_read_leaves_us_unsure(values: dict[str, Any], where: str) -> None:
    with pytest.raises(UnsureError, match=f"cannot be read: {where}"):
        parse(values, HITDetails)
