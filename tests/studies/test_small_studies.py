"""The arithmetic of rows and bytes, on a few images: figures of every kind, and projections from them.
The made-up large project, in a small size: whole, and with pages that need few statements.
The study of the field's readers counts every difference, and says what could not be installed.
The study of planted errors: what it plants, and what a check of it counts.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Chain, Image, Mention, Project
from annotation.rules.box import Box, iou
from annotation.rules.transitivity import can_corefer
from backoffice.bases import StoryAdmin
from backoffice.of_people import TrustStatusAdmin
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.models import Entry, Judgment
from projects.dashboard.figures import GROUPS, read_figures, refresh_figures
from simulation.spoiled_image import OF_BOXES, OF_PHRASES, PlantedKind, Wronged, plant
from simulation.view import COVERED
from studies.arithmetic import per_image, projections
from studies.interop import environments
from studies.interop.compare import compare
from studies.interop.found import Found, Phrase, read_found
from studies.interop.sources import made_images, truth_of
from studies.large_project import measure as measuring
from studies.large_project.make import make_large_project
from studies.large_project.measure import MOST_STATEMENTS, Measured, Page, Statements, measure_pages, missed, pages_of
from studies.management.commands import large_project as command
from studies.planted import check, from_nothing, made_gold, settings_of
from studies.whole_campaign.campaign_cost import campaign_images
from studies.whole_campaign.programs import NO_PROGRAMS, Programs
from tests.support.projects import phrases
from tests.support.table import row


@pytest.mark.slow
@pytest.mark.services
def test_a_small_campaign_is_measured_replayed_and_archived(real_services: None, transactional_db, tmp_path: Path):
    call_command("arithmetic", "--images", "1", "2", "--json", str(tmp_path / "figures.json"))
    figures = json.loads((tmp_path / "figures.json").read_text())
    first, second = figures["campaigns"]
    assert (first["images"], second["images"], Image.objects.count()) == (1, 2, 3)
    assert first["judgments"] + second["judgments"] == Judgment.objects.count() > 100
    for one in (first, second):
        assert one["replay"]["equal"] and one["archive"]["replay_equal"]
        assert one["archive"]["rows"] > one["archive"]["rows_removed"] > one["judgments"]
    sizes = {one["table"]: one for one in second["tables"]}
    assert sizes["pipeline_judgment"]["rows"] == second["judgments"] and sizes["pipeline_judgment"]["leaves"]
    assert sizes["pipeline_question"]["updated"] > sizes["pipeline_question"]["rows"]
    assert not sizes["pipeline_assignment"]["leaves"]
    assert figures["tick"]["statements_of_a_project"] > 0
    narrow = figures["keys_below_64_bits"]
    assert "auth_user.id" in narrow and not [one for one in narrow if one.startswith(("annotation_", "pipeline_"))]
    each = per_image(second)
    assert each["judgments"] == second["judgments"] / 2 and each["stays"] < each["bytes"] + each["index_bytes"]
    assert f"{1_000_000 * each['judgments']:,.0f}" in projections(figures)


MORE = ("worker,", "delete", "models,", "admin, one ")
"""Beginnings of the names of pages that need more than the goal's 20 statements, whatever the project's size."""


@pytest.mark.slow
@pytest.mark.services
def test_a_large_project_is_whole_and_its_pages_need_few_statements(real_services, transactional_db, monkeypatch: Any):
    said: list[str] = []
    make_large_project("large-other-1", 2, copies=1, crowd="perfect")
    project = make_large_project("large", 16, copies=4, crowd="perfect", say=said.append)
    assert "16 images made" in "".join(said)
    template = project.images.filter(position__lt=4)
    for model, path in ((Judgment, "question__image"), (Chain, "image"), (Mention, "caption__image"), (Entry, "image")):
        rows = model.objects.filter(**{f"{path}__project": project})
        assert rows.count() == 4 * rows.filter(**{f"{path}__in": template}).count() > 0
    copy, first = (project.images.get(position=position) for position in (13, 1))
    assert copy.name == f"{first.name}-3" and copy.state == first.state
    assert [one.text for one in copy.captions.all()] == [f"{one.text} 3" for one in first.captions.all()]
    Image.objects.create(project=project, name="next", position=99, width=1, height=1).delete()
    assert refresh_figures(project.pk) == list(GROUPS)
    figures = {name: group.values for name, group in read_figures(project.pk).items()}
    assert figures["pace"]["judgments"] == Judgment.objects.filter(assignment__project=project).count()
    assert figures["paper"]["table_4"]["total"]["chains"] > 0
    once_and_short(monkeypatch)
    found = measure_pages(project, said.append)
    assert len(found) > 190
    # The times are not looked at: a busy machine must not fail this.
    many = {one.page.name for one in found if one.statements.count > MOST_STATEMENTS}
    assert not [name for name in many if not f"{name},".startswith(MORE)]
    assert {one.page.name: one.status for one in found if one.status >= 400} == {}


def once_and_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask for each page once; with as many rows in the admin's lists as give a statement for each row away.

    Each list is asked for once: its filters are tried by tests of the admin.
    """
    monkeypatch.setattr(measuring, "TRIES", 0)
    for admin in (StoryAdmin, TrustStatusAdmin):
        monkeypatch.setattr(admin, "list_per_page", MOST_STATEMENTS + 1)
    plain = [page for page in pages_of(Project.objects.get(name="large")) if not page.name.endswith("__exact")]
    monkeypatch.setattr(measuring, "pages_of", lambda _: plain)


def page(statements: int, median: float, status: int = 200) -> Measured:
    return Measured(Page("images", "/"), status, Statements(count=statements), 0.0, median, 0.0)


@pytest.mark.django_db
def test_a_page_misses_the_goal_by_its_statements_its_time_or_an_error_and_the_command_fails_then(monkeypatch: Any):
    assert missed([page(20, 300)]) == []
    found = missed([page(21, 1), page(1, 301), page(1, 1, 500)])
    assert found == ["images: 21 statements", "images: 301 ms", "images: status 500"]
    project = Project.objects.create(name="large")
    monkeypatch.setattr(command, "call_command", lambda *_, **__: None)
    for measured, fails in (([page(20, 300)], False), ([page(21, 1)], True)):
        monkeypatch.setattr(command, "measure_pages", lambda *_, measured=measured, **__: measured)
        with pytest.raises(CommandError, match="21 statements") if fails else nullcontext():
            call_command("large_project", name=project.name, goal=True)


COMMAND = "studies.management.commands.interop"
TRUTH = truth_of(made_images(), {"B.PNG": "1f"})
EVERYTHING = replace(TRUTH, told=("phrases", "captions", "sizes", "pictures", "loose", "ids"))


def differences(found: Found, export_format: str = "coco") -> dict[str, int]:
    """Return the numbers of differences that are not 0."""
    return {one.kind: one.differences for one in compare(TRUTH, found, export_format) if one.differences}


def test_the_made_images_hold_every_hard_case() -> None:
    numbers = {one.kind: one.number for one in compare(TRUTH, EVERYTHING, "coco")}
    of_phrases = {"spans": 9, "equal phrases": 2, "boxes": 14, "chains": 6}
    assert numbers == of_phrases | {"captions": 7, "sizes": 3, "other boxes": 1, "pictures": 1, "ids": 3}
    assert differences(EVERYTHING) == {}


@row({"phrases": TRUTH.phrases[1:]}, {"spans": 1, "equal phrases": 2, "boxes": 2, "chains": 1})
@row({"phrases": [TRUTH.phrases[0]._replace(end=4), *TRUTH.phrases[1:]]}, {"spans": 2, "boxes": 4, "chains": 2})
@row({"phrases": [one._replace(chain="1") for one in TRUTH.phrases]}, {"chains": 8})
@row({"captions": TRUTH.captions[:-1]}, {"captions": 1})
@row({"sizes": TRUTH.sizes | {"B.PNG": (80, 100)}}, {"sizes": 2})
@row({"loose": []}, {"other boxes": 1})
@row({"pictures": {"B.PNG": "2f"}}, {"pictures": 2})
@row({"ids": TRUTH.ids | {"B.PNG": 10}}, {"ids": 2})
def test_every_kind_of_difference_is_counted(change: dict[str, Any], found: dict[str, int]) -> None:
    counted = differences(replace(EVERYTHING, **change))
    assert {kind: counted.get(kind) for kind in found} == found


def test_equal_phrases_that_were_given_each_others_boxes_differ_and_those_without_boxes_are_expected_alone() -> None:
    first, second, *others = TRUTH.phrases
    swapped = [first._replace(boxes=second.boxes), second._replace(boxes=first.boxes), *others]
    assert differences(replace(EVERYTHING, phrases=swapped))["equal phrases"] == 4
    assert {one.kind: one.number for one in compare(TRUTH, TRUTH, "odvg")}["captions"] == 4
    assert {one.kind: one.number for one in compare(TRUTH, TRUTH, "mdetr")}["spans"] == 7


def test_what_a_reader_found_comes_back_from_its_environment_as_it_was(tmp_path: Path) -> None:
    found = Found([Phrase("a.jpg", "a cat", 0, 5, ((1, 2, 3, 4),))], [("a.jpg", "a cat")], {"a.jpg": (9, 9)})
    found.write(tmp_path / "found.json", "1.0")
    back, version = read_found(tmp_path / "found.json")
    assert (replace(back, told=tuple(back.told)), version) == (found, "1.0")


@pytest.mark.slow
@pytest.mark.django_db
def test_the_command_reads_every_format_and_fails_at_a_difference(tmp_path: Path, monkeypatch: Any, settings, capsys):
    @contextmanager
    def workplace() -> Iterator[Path]:
        yield tmp_path / "work"

    def refuse(reader: environments.Reader, folder: Path) -> Path:
        raise environments.NotInstalled("ERROR: no network")

    settings.MEDIA_ROOT = tmp_path / "media"
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(f"{COMMAND}._workplace", workplace)
    monkeypatch.setattr(f"{COMMAND}.install", refuse)
    call_command("interop", environments=tmp_path / "none")
    said = capsys.readouterr().out
    assert "mmdet cannot be installed here and reads nothing: ERROR: no network" in said
    assert said.count("| by description |") == 6 and "MDETR, GLIP" in said

    monkeypatch.setattr(f"{COMMAND}.truth_of", lambda images, pictures: replace(TRUTH, phrases=TRUTH.phrases[1:]))
    (tmp_path / "work" / "made").rename(tmp_path / "before")
    with pytest.raises(CommandError, match="made, mdetr, by description: spans: has"):
        call_command("interop", environments=tmp_path / "none")


def image(name: str) -> DatasetImage:
    """A man and a girl, each called twice, and a hat."""
    drawn = {"one": Box(10, 10, 60, 90), "two": Box(120, 10, 160, 90), "hat": Box(70, 60, 100, 90)}
    boxes = [DatasetBox(box, (chain,)) for chain, box in drawn.items()]
    texts = ("people: a man", "people: the man", "people: a girl", "people: the girl", "clothing: a hat")
    return phrases(*texts, name=name, chains=["one", "one", "two", "two", "hat"], boxes=boxes)


BED = campaign_images(image(str(number)) for number in range(60))
GOLD = [(made_gold(one.gold, 0), one.subject.mentions) for one in BED]


@pytest.fixture(scope="module")
def planted() -> list[Wronged]:
    return plant(GOLD, 0, 0.6)


def test_made_gold_divides_boxes_and_takes_some_away():
    numbers = Counter(min(len(chain.boxes), 2) for gold, _ in GOLD for chain in gold.chains)
    assert numbers[0] > 10 and numbers[2] > 10 and numbers[1] > numbers[2]
    for gold, _ in GOLD:
        for chain in gold.chains:
            assert all(iou(one, other) == 0 for one, other in combinations(chain.boxes, 2))
            assert not (chain.scene and chain.boxes)


def test_errors_of_every_kind_touch_the_stated_share_of_chains_and_none_twice_and_other_labels_are_gold(planted):
    touched = [(one.gold.key, name) for one in planted for error in one.errors for name in error.chains]
    assert len(touched) == len(set(touched))
    assert len(touched) == pytest.approx(0.6 * sum(len(one.gold.chains) for one in planted), abs=2)
    assert {error.kind for one in planted for error in one.errors} == set(PlantedKind)
    for one in planted:
        labels = {label.mentions: label.boxes for label in one.labels}
        for chain in one.gold.chains:
            assert (one.gold.key, chain.name) in touched or labels[chain.mentions] == chain.boxes
        placed = sorted(number for label in one.labels for number in label.mentions)
        assert placed == sorted(mention.number for mention in one.mentions)
    assert plant(GOLD, 0, 0.6) == planted != plant(GOLD, 1, 0.6), "the same seed plants the same"


def test_errors_of_phrases_keep_the_rules_and_those_of_boxes_miss_gold(planted: list[Wronged]):
    for one in planted:
        links = {mention.number: mention.for_links() for mention in one.mentions}
        gold = {chain.name: chain for chain in one.gold.chains}
        kinds = {error.kind for error in one.errors}
        if kinds and kinds <= set(OF_PHRASES):
            for label in one.labels:
                assert all(can_corefer(links[a], links[b]) for a, b in combinations(label.mentions, 2))
        for error in one.errors:
            if error.kind in OF_BOXES:
                chain = gold[error.chains[0]]
                boxes = next(label.boxes for label in one.labels if label.mentions == chain.mentions)
                found = [any(iou(box, own) >= COVERED for box in boxes) for own in chain.boxes]
                assert not all(found) or len(boxes) != len(chain.boxes)


def test_the_halves_of_a_split_chain_have_boxes_that_differ_by_a_few_pixels(planted: list[Wronged]):
    """And a box around a part, one around several and those of another chain miss what the gold shows."""
    seen = Counter[PlantedKind]()
    for one in planted:
        gold = {chain.name: chain for chain in one.gold.chains}
        for error in one.errors:
            chain = gold[error.chains[0]]
            parts = [label for label in one.labels if set(label.mentions) <= set(chain.mentions)]
            seen[error.kind] += 1
            if error.kind is PlantedKind.SPLIT and chain.boxes:
                first, second = sorted(parts, key=lambda label: label.boxes != chain.boxes)
                assert first.boxes == chain.boxes and len(second.boxes) == len(chain.boxes)
                assert all(0.6 < iou(*pair) < 0.95 for pair in zip(first.boxes, second.boxes, strict=True))
            elif error.kind is PlantedKind.GROUPED:
                assert len(parts[0].boxes) == len(chain.boxes) - 1
            elif error.kind is PlantedKind.SWAPPED:
                other = gold[error.chains[1]]
                assert parts[0].boxes == other.boxes != chain.boxes
    kinds = (PlantedKind.SPLIT, PlantedKind.GROUPED, PlantedKind.SWAPPED, PlantedKind.PART)
    assert min(seen[kind] for kind in kinds) > 0


def test_nothing_is_changed_where_nothing_is_wrong_and_nothing_is_in_the_audit():
    settings = settings_of({"audit_rate": 0.0, "link_stop": 0.9, "reask_rate": 0.0}, NO_PROGRAMS)
    found = check(plant(GOLD[:20], 0, 0.0), settings, NO_PROGRAMS, 0)
    assert (found.made_wrong, sum(found.planted.values())) == (0, 0)
    assert found.right == sum(len(gold.chains) for gold, _ in GOLD[:20])
    for told in (found.before, found.after):
        assert (told.wrong, told.expected.labels) == (0, found.right)
        assert 0 < told.expected.wrong < 0.2 * found.right


@pytest.mark.slow
def test_a_right_program_that_judges_finds_wrong_boxes_for_less_than_annotating_anew():
    planted = plant(GOLD, 0, 0.4)
    programs = Programs(wrong=lambda place: 0.0)
    settings = settings_of({"link_stop": 0.3}, programs)
    figures = check(planted[:24], settings, programs, 0).figures()
    assert figures["found of boxes"] > 0.7
    assert figures["chains asked"] < 0.7
    assert figures["seconds an image"] < from_nothing(planted[:24], settings, programs, 0)
