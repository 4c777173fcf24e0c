"""Nothing that a browser receives tells verification questions from real ones, and the study would notice."""

import json
import random
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from studies.question_leak import over_http
from studies.question_leak.browser_view import Browser, Row
from studies.question_leak.evidence import SURE
from studies.question_leak.over_http import TREES, even, later, try_to_tell

KEYS = ("2" * 40, "3" * 40)
"""Secret keys of the service, by which it draws where verification questions come: another draw for another look."""


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


@pytest.mark.slow
def test_where_there_is_nothing_the_classifier_finds_nothing_and_what_is_planted_it_finds() -> None:
    rows, known, workers, assignments = made_up()
    assert not try_to_tell(rows, known, workers).is_leak
    slow = try_to_tell(later(rows, known, assignments), known, workers)
    assert slow.is_leak and slow.sign in ("ask seconds", TREES)
    odd = try_to_tell(even(rows, known), known, workers)
    assert odd.is_leak and odd.sign in ("url number mod 2", TREES)


def test_what_tells_only_together_is_found_by_trees() -> None:
    lot = random.Random("together")
    pairs = [(lot.random() < 0.5, lot.random() < 0.5) for _ in range(1_000)]
    rows: list[Row] = [{"one": float(one), "other": float(other)} for one, other in pairs]
    found = try_to_tell(rows, [one != other for one, other in pairs], [number % 20 for number in range(1_000)])
    assert found.is_leak and found.sign == TREES


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


@pytest.mark.slow
@pytest.mark.services
def test_nothing_that_the_service_sends_tells_them_apart(
    own_database: None, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask few questions; `leak_over_http` asks 20,000.

    Where there is no leak, one look in 200 finds something by chance (SURE): two do so once in 40,000 runs.
    """
    monkeypatch.setattr(over_http, "STOCK", 60)

    def finds_nothing(key: str) -> bool:
        settings.SECRET_KEY = key
        return look(tmp_path / "found.json")

    assert any(map(finds_nothing, KEYS))


def look(out: Path) -> bool:
    """Ask, and tell whether nothing was found. What is planted must be found in every look.

    The planted delay is longer than any that a busy machine adds: how short a one is found is tested above.
    """
    said, tasks = StringIO(), ["box_requirement", "box_quality"]
    asked = {"questions": 1000, "workers": 20, "images": 160, "tasks": tasks, "rate": 0.1}
    call_command("leak_over_http", **asked, later=60_000, json=out, stdout=said)
    print(said.getvalue())
    # About 100, drawn by lots: as few as 60 come once in 30,000 runs.
    assert int(re.findall(r"; (\d+) are verification", said.getvalue())[0]) > 60
    plain, slow, odd = json.loads(out.read_text()).values()
    assert slow["chance"] < SURE > odd["chance"]
    return bool(plain["chance"] >= SURE)
