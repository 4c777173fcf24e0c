"""Nothing that a browser receives tells verification questions from real ones, and the study would notice."""

import json
import random
import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from studies.question_leak import classifier
from studies.question_leak.browser_view import Browser, Row
from studies.question_leak.classifier import even, later, try_to_tell, what_tells

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "RESAMPLED", 200)


def made_up(questions: int = 2_000, *, per_assignment: int = 5) -> tuple[list[Row], list[bool], list[int], list[int]]:
    """Make rows of noise for 20 workers; a fifth of the rows stand for verification questions."""
    lot = random.Random("made up")
    rows, known, workers, assignments = [], [], [], []
    for number in range(questions // per_assignment):
        waited = lot.gauss(0.012, 0.002)
        for place in range(per_assignment):
            rows.append({"ask seconds": waited, "place": float(place), "url number mod 2": float(lot.randrange(2))})
            known.append(lot.random() < 0.2)
            workers.append(number % 20)
            assignments.append(number)
    return rows, known, workers, assignments


def test_where_there_is_nothing_the_classifier_finds_nothing() -> None:
    rows, known, workers, _ = made_up()
    assert try_to_tell(rows, known, workers).nothing


def test_five_milliseconds_are_found() -> None:
    rows, known, workers, assignments = made_up()
    found = try_to_tell(later(rows, known, assignments), known, workers)
    assert found.low > 0.55 and not found.nothing
    assert what_tells(later(rows, known, assignments), known)[0][0] == "ask seconds"


def test_a_pattern_in_the_numbers_of_pictures_is_found() -> None:
    rows, known, workers, _ = made_up()
    assert try_to_tell(even(rows, known), known, workers).low > 0.6


def question(picture: str, **changes: object) -> dict[str, object]:
    phrases = [{"mention": 3, "start": 2, "end": 5}]
    shown = {
        "image": {"url": f"/p/{picture}?s=a1b2", "full_url": f"/p/{picture}?s=c3", "width": 120, "height": 80},
        "captions": [{"number": 1, "text": "a dog runs", "phrases": phrases}],
        "language": "",
        "other_captions": [],
        "boxes": [[1, 2, 30, 40]],
        "new_box": None,
    }
    return shown | changes


def test_a_browser_remembers_which_images_it_was_shown() -> None:
    browser = Browser()
    work = {"token": "0" * 32, "seconds_left": 1800.0, "reward_cents": 10}
    first = browser.rows({**work, "questions": [question("1.jpg"), question("2.jpg")]}, 0.01, 900)
    second = browser.rows({**work, "questions": [question("1.jpg"), question("1.jpg")]}, 0.01, 900)
    assert [row["times the image was shown"] for row in (*first, *second)] == [0, 0, 1, 1]
    assert second[0]["assignments since the image"] == 1
    assert [row["same image in the assignment"] for row in second] == [2, 2]
    assert [row["same image before"] for row in second] == [0, 1]


def test_every_part_of_a_question_is_looked_at() -> None:
    work = {"token": "0" * 32, "seconds_left": 1800.0, "reward_cents": 10}
    (plain,) = Browser().rows({**work, "questions": [question("1.jpg")]}, 0.01, 900)
    changed: list[dict[str, object]] = [
        {"boxes": []},
        {"new_box": [5, 6, 70, 80]},
        {"captions": [{"number": 0, "text": "a dog", "phrases": [{"mention": 4, "start": 0, "end": 5}]}]},
        {"image": {"url": "/p/8.jpg?s=a1b2", "full_url": "/p/8.jpg?s=c3", "width": 121, "height": 80}},
        {"hint": "known"},
    ]
    for changes in changed:
        (row,) = Browser().rows({**work, "questions": [question("1.jpg", **changes)]}, 0.01, 900)
        assert row != plain, changes


@pytest.mark.services
def test_nothing_that_the_service_sends_tells_them_apart(own_database: None, tmp_path: Path) -> None:
    """Ask few questions, so that the interval is wide; `leak_over_http` asks 20,000.

    The planted delay is longer than any that a busy machine adds: how short a one is found is tested above.
    """
    out, said = tmp_path / "found.json", StringIO()
    tasks = ["box_requirement", "box_quality"]
    asked = {"questions": 1000, "workers": 20, "images": 160, "tasks": tasks, "rate": 0.1, "sure": 0.999}
    call_command("leak_over_http", **asked, later=60_000, json=out, stdout=said)
    assert int(re.findall(r"; (\d+) are verification", said.getvalue())[0]) > 90
    plain, slow, odd = json.loads(out.read_text()).values()
    assert plain["low"] <= 0.5, said.getvalue()
    assert slow["low"] > 0.5 and odd["low"] > 0.5, said.getvalue()
