"""Chances of chains, links and boxes: the same in the file, in the service and on the image's page.
A reader of the export alone rebuilds every chain and box: it knows the format and the protocol, not the service.
JSON as text: times and stored values come from both engines as they are written everywhere else.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings

from accounts.models import Role
from annotation.models import Box, Caption, Chain, Image, MergedBox, Project
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from exchange.import_image import import_image
from exchange.json_text import json_text, list_text, stored_text
from exchange.jsonl.write import pseudonym
from exchange.load_project import IsoTime, column_text
from pipeline.models import Entry, Judgment, Progress, Question
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.image.interventions import CannotVoidError
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.state.progress_json import from_json
from pipeline.protocol.tasks.task import Task
from pipeline.record.intervene import act_as_expert, report_problem, void_judgments
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.gallery.image_page import ShownChain, image_page
from projects.schemas import validate_file
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from tests.support import jsonl_reader
from tests.support.members import sign_in
from tests.support.projects import answer, answer_all, box, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from workers.models import Worker

pytestmark = pytest.mark.django_db

LINK, VERIFY = Task.COREFERENCE_LINK, Task.CHAIN_VERIFICATION
NAMES = ("ada-lovelace", "bob-jones", "cleo-smith")


@pytest.fixture
def project() -> Project:
    """Two mentions of one man, doubted; one drawing discarded, one accepted; merged."""
    Worker.objects.bulk_create(Worker(name=f"nobody {n}") for n in range(880))  # so that ids are numbers to look for
    made = project_of(phrases("people: a man", "people: the man"))
    ada, bob, cleo = (worker(made, name) for name in NAMES)
    answer(made, ada, LINK, "same")
    answer(made, bob, VERIFY, "false")  # the same head noun: kept whole, doubted
    answer(made, ada, Task.BOX_DRAWING, box(90, 1, 95, 9))
    answer(made, bob, Task.BOX_QUALITY, "bad")
    answer(made, cleo, Task.BOX_DRAWING, box(1, 2, 50, 60))
    answer(made, ada, Task.BOX_QUALITY, "good")
    answer(made, ada, Task.BOX_COVERAGE, "all there")
    answer(made, bob, Task.BOX_COVERAGE, "all there")
    return made


def lines(project: Project, target: Path, **options: Any) -> list[dict[str, Any]]:
    export_dataset(project=project, target=target, export_format="jsonl", card=False, **options)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_the_first_line_is_the_project_with_every_version_of_its_settings(project: Project, tmp_path: Path) -> None:
    change_settings(project_id=project.id, settings=Settings(no_box_votes=3), reason="stricter")
    first = lines(project, tmp_path / "out.jsonl")[0]
    assert (first["kind"], first["name"]) == ("project", "small")
    assert [(one["version"], one["values"]["no_box_votes"]) for one in first["settings"]] == [(1, 2), (2, 3)]


def test_a_chain_has_its_state_doubt_and_judgments_per_task_and_links_their_source_and_votes(
    project: Project, tmp_path
):
    image = lines(project, tmp_path / "out.jsonl")[1]
    assert image["links"] == [{"mentions": [0, 1], "source": "asked yes", "yes": 1, "no": 0}]
    (chain,) = image["chains"]
    assert (chain["name"], chain["mentions"], chain["state"]) == (0, [0, 1], "complete")
    assert "verification failed" in chain["doubted"]
    assert chain["judgments"] == {"chain_verification": 1, "box_drawing": 2, "box_quality": 2, "box_coverage": 2}


def test_boxes_say_who_drew_them_under_a_pseudonym(project: Project, tmp_path: Path) -> None:
    image = lines(project, tmp_path / "out.jsonl")[1]
    ids = {name: Worker.objects.get(name=name).id for name in NAMES}
    assert [(one["box"], one["state"], one["drawn_by"]) for one in image["boxes"]] == [
        ([90, 1, 95, 9], "discarded", pseudonym(project.id, ids[NAMES[0]])),
        ([1, 2, 50, 60], "accepted", pseudonym(project.id, ids[NAMES[2]])),
    ]
    assert image["merged_boxes"] == [{"number": 0, "box": [1, 2, 50, 60], "members": [1], "chains": [0]}]
    said = {judgment["worker"] for question in image["questions"] for judgment in question["judgments"]}
    assert said == {pseudonym(project.id, worker_id) for worker_id in ids.values()}


def test_no_name_or_id_of_a_worker_is_in_the_file(project: Project, tmp_path: Path) -> None:
    bob = Worker.objects.get(name=NAMES[1])
    image = project.images.get().id
    report_problem(image_id=image, what="mention", number=0, worker_id=bob.id, actor=bob.name, reason="a boy")
    again = project_of(phrases("animals: a dog", name="dog"), name="other")
    answer(again, worker(again, bob.name), Task.BOX_REQUIREMENT, 3)
    image = again.images.get().id
    void_judgments(image_id=image, judgment_ids=[Judgment.objects.latest("id").id], actor="eve", reason="no trust")
    text = ""
    for one in (project, again):
        export_dataset(
            project=one, target=tmp_path / one.name, export_format="jsonl", card=False, include_unmerged=True
        )
        text += (tmp_path / one.name).read_text()

    def numbers(value: Any) -> list[Any]:
        inside = value.values() if isinstance(value, dict) else value
        return [one for inner in inside for one in numbers(inner)] if isinstance(value, dict | list) else [value]

    values = {found for line in text.splitlines() for found in numbers(json.loads(line))}
    for name in NAMES:
        assert name not in text
        assert Worker.objects.get(name=name).id not in values
    assert "no trust" in text and "a boy" in text


def test_a_pseudonym_is_stable_different_per_project_and_not_to_be_made_without_the_secret() -> None:
    assert pseudonym(1, 5) == pseudonym(1, 5)
    assert len({pseudonym(1, 5), pseudonym(2, 5), pseudonym(1, 6), pseudonym(15, 1), pseudonym(1, 51)}) == 5
    known = pseudonym(1, 5)
    with override_settings(SECRET_KEY="y" * 50):
        assert pseudonym(1, 5) != known


def test_the_record_is_there_in_order_and_every_question_has_its_judgments(project: Project, tmp_path: Path) -> None:
    image = lines(project, tmp_path / "out.jsonl")[1]
    record, questions = image["record"], image["questions"]
    assert [entry["sequence"] for entry in record] == list(range(11))
    assert [entry["kind"] for entry in record] == ["import", "start", *["judgment"] * 8, "merge"]
    assert [entry["data"]["question"] for entry in record if entry["kind"] == "judgment"] == [0, 1, 2, 3, 4, 5, 6, 6]
    assert len(questions) == Question.objects.count()
    assert sum(len(question["judgments"]) for question in questions) == Judgment.objects.count() == 8
    assert questions[0]["task"] == "coreference_link" and questions[0]["judgments"][0]["answer"] == "same"
    assert {question["state"] for question in questions} == {"closed"}


def test_unfinished_images_are_left_out_unless_asked_for(project: Project, tmp_path: Path) -> None:
    import_image(project, 7, phrases("people: a girl", name="new"), picture="", gold=False, settings_version=1)
    assert [line.get("name") for line in lines(project, tmp_path / "a")] == ["small", "1"]
    both = lines(project, tmp_path / "b", include_unmerged=True)
    assert [line.get("name") for line in both] == ["small", "1", "new"]
    assert (both[2]["chains"], both[2]["links"], both[2]["state"]) == ([], [], "linking")
    tick(project_id=project.id)
    assert lines(project, tmp_path / "c", include_unmerged=True)[2]["chains"][0]["state"] == "drawing"


def test_habits_of_workers_go_by_their_pseudonyms(project: Project, tmp_path: Path) -> None:
    ada = Worker.objects.get(name=NAMES[0]).pk
    habit = {"edges": [0.1, 0.0, 0.0, 0.0], "spread": 0.03}
    learned = settings_with(fuse_boxes=True, box_prior={"habits": {"0": habit, str(ada): habit}})
    change_settings(project_id=project.id, settings=learned, reason="learned")
    version = lines(project, tmp_path / "out.jsonl")[0]["settings"][-1]
    assert version["values"]["box_prior"]["habits"] == {"0": habit, pseudonym(project.id, ada): habit}


DRAW = Task.BOX_DRAWING
SURE = Settings(strategy=LinkStrategy.ADAPTIVE, box_policy=BoxPolicyName.BELIEF, verify_below=0.01, link_stop=0.02)
SAID = {LINK: "same", DRAW: box(1, 2, 50, 60), Task.BOX_QUALITY: "good", Task.BOX_COVERAGE: "all there"}


def finished(settings: Settings) -> Project:
    """One man in two captions, linked and drawn by workers who agree."""
    project = project_of(phrases("people: a man", "people: a player"), settings=settings)
    answer_all(project, lambda question: SAID.get(Task(question.task), "true"))
    return project


def line(project: Project, folder: Path) -> dict[str, Any]:
    file = folder / f"{len(list(folder.iterdir()))}.jsonl"
    export_dataset(project=project, target=file, export_format="jsonl", card=False, include_unmerged=True)
    found: dict[str, Any] = json.loads(file.read_text().splitlines()[1])
    return found


def state(project: Project) -> ImageProgress:
    return from_json(Progress.objects.get(project=project).state)


def test_a_file_says_how_sure_each_chain_link_and_box_is(tmp_path: Path) -> None:
    project = finished(SURE)
    image, kept = line(project, tmp_path), state(project)
    (chain,), (link,), (drawn,) = image["chains"], image["links"], image["boxes"]
    assert (chain["confidence"], chain["box_confidence"]) == (kept.chains[0].confidence, kept.chains[0].box_confidence)
    assert 0.5 < chain["confidence"] < 1 and 0.5 < chain["box_confidence"] <= drawn["confidence"] < 1
    assert drawn["confidence"] == kept.boxes[0].confidence
    assert link["same"] == kept.together[0, 1] and 0.9 < link["same"] < 1


def test_nothing_is_said_of_it_where_the_paper_s_rules_decide(tmp_path: Path) -> None:
    project = finished(Settings())
    image = line(project, tmp_path)
    assert [(one["confidence"], one["box_confidence"]) for one in image["chains"]] == [(None, None)]
    assert [one["confidence"] for one in image["boxes"]] == [None]
    assert "same" not in image["links"][0]
    (shown,) = image_page(project.images.get()).chains
    assert shown.sure == ""


def test_a_chain_that_an_expert_takes_up_is_no_longer_said_to_be_sure_of_its_boxes(tmp_path: Path) -> None:
    project = finished(SURE)
    act_as_expert(image_id=project.images.get().id, action={"action": "review", "chain": 0}, actor="eve")
    image = line(project, tmp_path)
    assert (image["chains"][0]["box_confidence"], image["boxes"][0]["confidence"]) == (None, None)
    split = {"action": "split", "chain": 0, "parts": [[0], [1]]}
    act_as_expert(image_id=project.images.get().id, action=split, actor="")
    image = line(project, tmp_path)
    assert [one["confidence"] for one in image["chains"]] == [None, None]
    assert "same" not in image["links"][0], "the expert has decided"


def test_the_file_is_read_back_and_the_record_makes_the_same_chances_again(tmp_path: Path) -> None:
    project = finished(SURE)
    export_dataset(project=project, target=tmp_path / "out.jsonl", export_format="jsonl", card=False)
    assert jsonl_reader.read(tmp_path / "out.jsonl")["1"].chains == {0: [0, 1]}
    assert list(replay(project)) == []


def test_the_page_of_an_image_shows_what_the_file_says(client: Client, tmp_path: Path) -> None:
    project = finished(SURE)
    sign_in(client, project, Role.REQUESTER)
    (chain,) = line(project, tmp_path)["chains"]
    phrases_right, boxes_right = (f"{chain[name] * 100:.0f} %" for name in ("confidence", "box_confidence"))
    page = client.get(f"/projects/small/images/{project.images.get().id}/").text
    assert f"phrases {phrases_right} likely right, boxes {boxes_right} likely right" in page


def test_nothing_is_called_certain() -> None:
    chain = ShownChain(1, "c0", None, confidence=0.9996, box_confidence=1.0)
    assert chain.sure == "phrases over 99 % likely right, boxes over 99 % likely right"


def check_rebuilt(project: Project, file: Path) -> None:
    """Check the file, and compare what the reader makes of the record with the tables of the service."""
    export_dataset(project=project, target=file, export_format="jsonl", card=False, include_unmerged=True)
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
    for number, strategy in enumerate((LinkStrategy.EXHAUSTIVE_PLUS, LinkStrategy.GREEDY, LinkStrategy.EXHAUSTIVE)):
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
    assert Entry.objects.filter(context__has_key="on_loan").exists()


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
    image_line = line(project, tmp_path)
    record, who = image_line["record"], pseudonym(project.id, ada.id)
    eve = record[-1]["actor"]
    mentions = [[0, 0, 0, 2, ["people"], "a man", ""], [1, 1, 0, 2, ["people"], "the man", ""]]
    assert [(entry["sequence"], entry["kind"], entry["data"]) for entry in record] == [
        (0, "import", {"mentions": mentions}),
        (1, "start", {}),
        (2, "judgment", {"question": 0, "worker": who, "answer": "same"}),
        (3, "judgment", {"question": 1, "worker": who, "answer": "true"}),
        (4, "judgment", {"question": 2, "worker": who, "answer": {"box": [1, 2, 30, 40]}}),
        (5, "void", {"entries": [4]}),
        (6, "report", {"what": "mention", "number": 1, "worker": who, "expert": False}),
        (7, "expert", {"action": "draw", "chain": 0, "box": [5, 6, 7, 8]}),
    ]
    assert {entry["settings"] for entry in record} == {1}
    assert [entry["reason"] for entry in record[5:]] == ["no trust", "two men", ""]
    assert record[5]["actor"] == eve != "eve" and eve.startswith("e")
    judgments = [judgment for question in image_line["questions"] for judgment in question["judgments"]]
    assert [(one["entry"], one["voided"]) for one in judgments] == [(2, None), (3, None), (4, 5)]
    assert [question["closed"] for question in image_line["questions"]] == [2, 3, 4, 5, 7]


def test_a_judgment_that_does_not_count_yet_has_no_entry(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man"))
    submit(lease(project, worker(project, "ada"), Task.BOX_DRAWING, size=1), box(1, 2, 30, 40))
    (question,) = line(project, tmp_path)["questions"]
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


@pytest.mark.both_engines
@pytest.mark.parametrize("microsecond", [0, 100, 123_456])
def test_a_time_is_what_isoformat_writes(microsecond: int) -> None:
    at = datetime(2026, 11, 28, 23, 5, 9, microsecond, tzinfo=UTC)
    project = Project.objects.create(name="parks", created_at=at)
    assert Project.objects.values_list(IsoTime("created_at"), flat=True).get(pk=project.pk) == at.isoformat()


@pytest.mark.both_engines
@pytest.mark.parametrize("words", [["Größe", "“x”", 'a "b"', "\\", "\u2028"], ["plain", "words"], []])
def test_stored_json_is_written_as_from_values(words: list[str]) -> None:
    project_of(phrases("people: a man"))
    Caption.objects.update(words=words, non_visual={"b": [1, 2], "a": None})
    lists, values = Caption.objects.values_list(column_text("words"), column_text("non_visual")).get()
    assert list_text(lists) == json_text(words)
    assert stored_text(values) == '{"a": null, "b": [1, 2]}'
