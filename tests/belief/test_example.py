"""The example of the library, whose output its page shows."""

from pathlib import Path

import pytest

from belief import annotators, example
from workers.rules.share import sigmoid


def test_the_page_shows_what_the_example_prints():
    shown = Path(example.__file__).with_name("README.md").read_text().split("```")[1].strip().splitlines()
    assert shown == [*example.boxes(), *example.links()]


def test_no_error_is_larger_than_the_hardest():
    logits = annotators.error_logits(0.3, nodes=6, spread=3.0, between=(-30.0, 0.5), steps=60, hardest=0.5)
    assert max(logits) == 0.5 and sum(map(sigmoid, logits)) / 6 == pytest.approx(0.3)
