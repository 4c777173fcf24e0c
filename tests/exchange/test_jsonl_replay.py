"""A reader of the export alone rebuilds every chain and box: it knows the format and the protocol, not the service."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Box, Chain, Image, MergedBox, Project
from campaign.schemas.validate_file import validate_file
from exchange.import_dataset import import_dataset
from exchange.jsonl.write import pseudonym, write_jsonl
from pipeline.models import Entry, Judgment
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.intervene import act_as_expert, report_problem, void_judgments
from pipeline.rules.entries.interventions import CannotVoidError
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from scenes.write import write_source
from simulation.simulate import simulate
from tests.support import jsonl_reader
from tests.support.projects import answer, box, lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db


def check_rebuilt(project: Project, file: Path) -> None:
    """Check the file, and compare what the reader makes of the record with the tables of the service."""
    write_jsonl(project, file, include_unmerged=True)
    assert validate_file(file, most=3).faults == []
    read = jsonl_reader.read(file)
    assert read.keys() == set(project.images.values_list("name", flat=True))
    for image in project.images.all():
        made = read[image.name]
        chains = {name: (own, made.merged_into.get(name)) for name, own in made.chains.items()}
        assert chains == chains_of(image), image.name
        boxes = [(one["number"], one["chain"], one["box"], one["state"]) for one in made.boxes.values()]
        assert boxes == boxes_of(image), image.name
        assert made.merged == [(list(row.box), row.members) for row in MergedBox.objects.filter(image=image)]
        kinds = dict(Chain.objects.filter(image=image, state="non-visual").values_list("name", "non_visual"))
        assert {name: made.kind(name) for name in kinds} == kinds, image.name


def chains_of(image: Image) -> dict[int, tuple[list[int], int | None]]:
    """Return the mentions of each chain, and the chain it was merged into; none for chains that are still linking."""
    into = image.chains.exclude(state="linking").values_list("name", "merged_into")
    members: dict[int | None, list[int]] = {}
    for number, chain in image.mentions.order_by("caption__number", "start").values_list("number", "chain"):
        members.setdefault(chain, []).append(number)
    return {name: (members[name], merged_into) for name, merged_into in into}


def boxes_of(image: Image) -> list[tuple[int, int, list[int], str]]:
    return [(row.number, row.chain, list(row.box), row.state) for row in Box.objects.filter(image=image)]


@pytest.mark.slow
def test_every_chain_and_box_of_a_simulated_project_is_rebuilt_from_its_file(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", 5, 8, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "scenes", gold=True)
    project = Project.objects.get()
    for _ in range(3):
        simulate(project=project, crowd="paper", seed=2, most=150)
        assert void_some(project) > 0
    check_rebuilt(project, tmp_path / "half.jsonl")
    for image in project.images.all():
        caption = image.captions.get(number=0)
        report_problem(image_id=image.id, what="caption", number=0, worker_id=None, expert=True, reason=caption.text)
    simulate(project=project, crowd="paper", seed=2)
    check_rebuilt(project, tmp_path / "reported.jsonl")
    for chain in Chain.objects.filter(state="review").order_by("image", "name"):
        send_on(chain)
    simulate(project=project, crowd="paper", seed=3)
    check_rebuilt(project, tmp_path / "whole.jsonl")
    for image in project.images.all()[:3]:
        change_everything(image)
    check_rebuilt(project, tmp_path / "changed.jsonl")
    kinds = set(Entry.objects.values_list("kind", flat=True))
    assert {"import", "start", "judgment", "void", "report", "expert", "merge"} <= kinds
    assert MergedBox.objects.exists() and Chain.objects.filter(state="non-visual").exists()


@pytest.mark.slow
def test_a_project_whose_strategy_changed_while_links_were_on_loan_is_rebuilt_from_its_file(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", 5, 3, pictures=False)
    import_dataset(project_name="parks", path=tmp_path / "scenes", gold=True)
    project = Project.objects.get()
    project.images.update(picture="scene.jpg")
    tick(project_id=project.id)
    for number, strategy in enumerate((Strategy.EXHAUSTIVE_PLUS, Strategy.GREEDY, Strategy.EXHAUSTIVE)):
        waiting = lease(project, worker(project, f"before-{number}"), Task.COREFERENCE_LINK, size=3)
        on_loan = lease(project, worker(project, f"during-{number}"), Task.COREFERENCE_LINK, size=3)
        submit(waiting, "different", "different", "same")
        change_settings(project_id=project.id, settings=replace(current_settings(project.id)[1], strategy=strategy))
        tick(project_id=project.id)
        submit(on_loan, "different", "same", "different")
        tick(project_id=project.id)
        check_rebuilt(project, tmp_path / f"{strategy}.jsonl")
    simulate(project=project, crowd="paper", seed=2)
    check_rebuilt(project, tmp_path / "whole.jsonl")
    assert any("out" in data for data in Entry.objects.values_list("data", flat=True))


def test_every_entry_has_its_kind_its_arguments_and_the_version_of_the_settings(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man", "people: the man"))
    image, ada = project.images.get().id, worker(project, "ada")
    answer(project, ada, Task.COREFERENCE_LINK, "same")
    answer(project, ada, Task.CHAIN_VERIFICATION, "true")
    answer(project, ada, Task.BOX_DRAWING, box(1, 2, 30, 40))
    drawn = Judgment.objects.latest("id").id
    void_judgments(image_id=image, judgment_ids=[drawn], actor="eve", reason="no trust")
    report_problem(image_id=image, what="mention", number=1, worker_id=ada.id, reason="two men")
    act_as_expert(image_id=image, action={"action": "draw", "chain": 0, "box": [5, 6, 7, 8]}, actor="eve")
    write_jsonl(project, tmp_path / "out.jsonl", include_unmerged=True)
    line = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[1])
    who, eve = pseudonym(project.id, ada.id), line["record"][-1]["actor"]
    mentions = [[0, 0, 0, 2, ["people"], "a man", ""], [1, 1, 0, 2, ["people"], "the man", ""]]
    assert [(entry["sequence"], entry["kind"], entry["data"]) for entry in line["record"]] == [
        (0, "import", {"mentions": mentions}),
        (1, "start", {}),
        (2, "judgment", {"question": 0, "worker": who, "answer": "same"}),
        (3, "judgment", {"question": 1, "worker": who, "answer": "true"}),
        (4, "judgment", {"question": 2, "worker": who, "answer": {"box": [1, 2, 30, 40]}}),
        (5, "void", {"entries": [4]}),
        (6, "report", {"what": "mention", "number": 1, "worker": who, "expert": False}),
        (7, "expert", {"action": "draw", "chain": 0, "box": [5, 6, 7, 8]}),
    ]
    assert {entry["settings"] for entry in line["record"]} == {1}
    assert [entry["reason"] for entry in line["record"][5:]] == ["no trust", "two men", ""]
    assert line["record"][5]["actor"] == eve != "eve" and eve.startswith("e")
    judgments = [judgment for question in line["questions"] for judgment in question["judgments"]]
    assert [(one["entry"], one["voided"]) for one in judgments] == [(2, None), (3, None), (4, 5)]
    assert [question["closed"] for question in line["questions"]] == [2, 3, 4, 5, 7]


def test_a_judgment_that_does_not_count_yet_has_no_entry(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man"))
    submit(lease(project, worker(project, "ada"), Task.BOX_DRAWING, size=1), box(1, 2, 30, 40))
    write_jsonl(project, tmp_path / "out.jsonl", include_unmerged=True)
    (question,) = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[1])["questions"]
    assert (question["closed"], question["judgments"][0]["entry"]) == (None, None)


def void_some(project: Project) -> int:
    """Void one of the newest judgments of each image, if something has not followed from all. Returns their number."""
    voided = 0
    for image in project.images.all():
        for newest in Judgment.objects.filter(question__image=image).order_by("-id")[:12]:
            try:
                void_judgments(image_id=image.id, judgment_ids=[newest.id], reason="a test")
            except CannotVoidError:
                continue
            voided += 1
            break
    tick(project_id=project.id)
    return voided


def send_on(chain: Chain) -> None:
    """Let an expert do something to a chain in review, another thing to each, and send it on."""
    place: dict[str, Any] = {"image_id": chain.image_id, "actor": "eve", "reason": "looked at"}
    mentions = list(chain.image.mentions.filter(chain=chain.name).values_list("number", flat=True))
    if len(mentions) > 1 and chain.name % 2:
        act_as_expert(**place, action={"action": "split", "chain": chain.name, "parts": [mentions[:1], mentions[1:]]})
        return
    act_as_expert(**place, action={"action": "draw", "chain": chain.name, "box": [1, 2, 30, 40]})
    act_as_expert(**place, action={"action": "send", "chain": chain.name, "to": "coverage"})


def change_everything(image: Image) -> None:
    """Let an expert delete a box, join two chains, give a mention other types, and mark a phrase anew."""
    first = image.mentions.order_by("number")[0]
    last = image.mentions.order_by("-number")[0]
    row = [last.number + 1, last.caption.number, last.start, last.end, ["other"], last.text]
    for action in (
        {"action": "delete box", "box": image.boxes.filter(state="accepted")[0].number},
        {"action": "join", "chains": list(image.chains.values_list("name", flat=True)[:2])},
        {"action": "retype", "mention": first.number, "types": ["scene"]},
        {"action": "rechunk", "remove": [first.number, last.number], "add": [row]},
    ):
        act_as_expert(image_id=image.id, actor="eve", action=action)
