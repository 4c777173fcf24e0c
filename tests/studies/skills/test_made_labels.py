"""Made-up label sets."""

from collections import Counter

import pytest

from studies.skills.made_labels import MADE, made_set, made_sets


def test_a_seed_gives_the_same_set_again():
    assert made_set("small", 1) == made_set("small", 1) != made_set("small", 2)


@pytest.mark.parametrize("name", [name for name, crowd in MADE.items() if crowd.dominant])
def test_the_dominant_worker_gives_the_most_labels(name: str):
    (first, most), (_, second) = Counter(judged.worker for judged in made_set(name, 0).judgments).most_common(2)
    assert first == str(MADE[name].workers) and most > 1.5 * second


def test_only_some_items_have_gold_where_gold_is_little():
    labels = made_set("little gold", 0)
    assert len(labels.truth) == 100 < len({judged.item for judged in labels.judgments}) == 1500


def test_nobody_labels_an_item_twice():
    judgments = made_set("one worker, 4 classes", 0).judgments
    assert len({(judged.worker, judged.item) for judged in judgments}) == len(judgments)


def test_workers_are_about_as_accurate_as_asked():
    labels = made_set("20 classes", 0)
    right = sum(judged.answer == labels.truth[str(judged.item)] for judged in labels.judgments)
    assert right / len(labels.judgments) == pytest.approx(0.75, abs=0.08)


def test_sets_with_little_gold_are_drawn_until_they_have_as_many_gold_items():
    drawn = [len(made_sets(name, 2)) for name in ("spammers", "20 classes, few labels", "little gold", "small")]
    assert drawn == [2, 4, 12, 15]
