"""Chains and boxes of a data set become annotations, gold, or proposals that workers judge, as is said at import."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from PIL import Image as Picture

from annotation.models import Box, Chain, Gold, Image, KnownBox, Project
from campaign.data import carry_out
from campaign.data.runs import begin_import, standing
from campaign.models import ImportRun, ModelPrediction
from campaign.predictions.import_predictions import ProgramError
from campaign.predictions.use_import import program_of
from exchange.dataset import Problem
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from pipeline.models import Entry, Question
from pipeline.project.settings_versions import open_project
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from scenes.write import write_source
from tests.campaign.conftest import work_on
from tests.exchange.grounding.sets import FORMATS, written
from tests.exchange.tools.exports import rectangle, relation, span, task, written_cvat, written_tasks
from tests.support.projects import answer, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db
ON = ProtocolSettings(proposals=True, test_questions=0, strategy=Strategy.ADAPTIVE)


@pytest.fixture(autouse=True)
def _places(tmp_path: Path, settings: Any) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.IMPORT_SOURCES = [str(tmp_path)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """One picture whose two captions have three phrases: a man, his dog, and both."""
    (tmp_path / "parks" / "a").mkdir(parents=True)
    Picture.new("RGB", (100, 80)).save(tmp_path / "parks" / "a" / "one.jpg")
    return written(tmp_path / "parks", "odvg")


def test_as_proposals_the_boxes_are_judged_and_the_chains_are_evidence(source: Path, capsys: Any) -> None:
    project = open_project(name="parks", settings=ON)
    call_command("import_dataset", "parks", str(source), use="proposals")
    told = capsys.readouterr().out
    assert "3 chains with 2 boxes are proposed for 1 image by the program “import of parks”." in told
    row = ModelPrediction.objects.get()
    man, dog = [0, 0, 21, 60], [30, 20, 50, 40]
    assert row.boxes == [[0, *man], [1, *dog], [2, *man], [2, *dog]]
    assert (row.chains, row.due, row.program.name) == ([[0], [1], [2]], False, "import of parks")
    assert (Box.objects.count(), Gold.objects.count(), Image.objects.get().state) == (0, 0, "linking")

    tick(project_id=project.pk)
    link = Question.objects.get(task=Task.COREFERENCE_LINK)
    assert link.subject == [0, 2], "a man and two friends may be one thing, but the data set says no"
    for name in ("ada", "bob", "cleo"):
        if Question.objects.filter(task=Task.COREFERENCE_LINK, state="open"):
            answer(project, worker(project, name), Task.COREFERENCE_LINK, "different")
    tick(project_id=project.pk)
    answer(project, worker(project, "dan"), Task.BOX_QUALITY, "good")

    box = Box.objects.filter(state="accepted").get()
    assert (box.proposed, box.drawn_by) == (True, Worker.objects.get(name="import of parks"))
    assert list(replay(project)) == []


def test_as_annotations_images_are_done_and_as_gold_they_are_asked_about(source: Path, capsys: Any) -> None:
    call_command("import_dataset", "done", str(source))
    assert "3 chains with 2 boxes are annotations: 1 image came with them." in capsys.readouterr().out
    call_command("import_dataset", "asked", str(source), use="gold")
    assert "3 chains with 2 boxes are right answers about 1 image." in capsys.readouterr().out

    assert [(one.project.name, one.state) for one in Image.objects.order_by("id")] == [
        ("done", "merged"),
        ("asked", "linking"),
    ]
    assert (Gold.objects.get().image.project.name, ModelPrediction.objects.count()) == ("asked", 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flickr30k-entities", "coco", *FORMATS])
def test_every_format_with_chains_can_be_proposed(tmp_path: Path, name: str) -> None:
    write_source(tmp_path / "scenes", 5, 3, pictures=name in ("hub", "parquet"))
    import_dataset(project_name="first", path=tmp_path / "scenes")
    first = Project.objects.get()
    (tmp_path / "again").mkdir()
    target = tmp_path / "again" / FORMATS[name] if name in ("mdetr", "odvg") else tmp_path / "again"
    export_dataset(project=first, target=target, export_format=name)

    call_command("import_dataset", "second", str(tmp_path / "again"), use="proposals", program="the set")

    images = Project.objects.get(name="second").images.order_by("position")
    rows = [ModelPrediction.objects.get(image=image) for image in images]
    assert {row.program.name for row in rows} == {"the set"}
    for row, old in zip(rows, first.images.order_by("position"), strict=True):
        assert {tuple(one[1:]) for one in row.boxes} == {one.box for one in Box.objects.filter(image=old)}
        assert Entry.objects.filter(image=row.image, kind="propose").count() == 1
    if name in ("flickr30k-entities", "coco"):
        assert sum(len(row.chains) for row in rows) == Chain.objects.filter(image__project=first).count()
    assert list(replay(Project.objects.get(name="second"))) == []


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """The same with Label Studio: a box of a phrase, and two with a category alone."""
    (tmp_path / "tool").mkdir()
    boxes = [
        rectangle("man", (0, 0, 10, 75), "x"),
        rectangle("d", (5, 5, 10, 25), "dog"),
        rectangle("e", (5, 5, 9, 9), "cat"),
    ]
    result = [*boxes, span("s", 0, 5, "A man"), span("t", 10, 17, "his dog"), relation("s", "man")]
    caption = "A man and his dog ."
    return written_tasks(tmp_path / "tool", lambda tasks: tasks.__setitem__(0, task(result, caption=caption)))


@pytest.mark.parametrize(
    ("write", "boxes", "chains"),
    [
        (
            written_tasks,
            [[0, 0, 0, 21, 60], [1, 30, 20, 50, 40], [2, 0, 0, 21, 60], [3, 100, 0, 120, 40]],
            [[0, 2], [1], [3]],
        ),
        (written_cvat, [[0, 0, 0, 21, 60], [0, 30, 20, 50, 40]], [[0]]),
    ],
)
def test_exports_of_annotation_tools_can_be_proposed(tmp_path: Path, write: Any, boxes: Any, chains: Any) -> None:
    call_command("import_dataset", "parks", str(write(tmp_path)), use="proposals")

    row = ModelPrediction.objects.get()
    assert (sorted(row.boxes), row.chains) == (boxes, chains)


@pytest.mark.both_engines
def test_boxes_with_a_category_are_proposed_behind_those_of_chains_by_the_same_program(
    beside: Path, capsys: Any
) -> None:
    call_command("import_dataset", "parks", str(beside), use="proposals", program="two")

    told = capsys.readouterr().out
    assert "2 chains with 1 box are proposed for 1 image by the program “two”." in told
    assert "2 boxes with categories: 1 proposed for 1 phrase, 1 that fit no phrase." in told
    assert "until “Boxes and links of programs” is switched on" in told
    row = ModelPrediction.objects.get()
    assert (row.boxes, row.chains) == ([[0, 0, 0, 20, 60], [1, 10, 4, 30, 24]], [[0], [1]])
    call_command("import_dataset", "parks", str(beside), use="proposals", program="two")
    assert ModelPrediction.objects.get().boxes == row.boxes


def test_boxes_with_a_category_are_exported_where_chains_are_the_gold(beside: Path, capsys: Any) -> None:
    call_command("import_dataset", "parks", str(beside), use="gold")
    told = "2 boxes with categories: 0 as right answers about 0 phrases, 2 not certain or beside chains."
    assert told in capsys.readouterr().out
    assert list(KnownBox.objects.values_list("exported", flat=True)) == [True, True]
    assert Gold.objects.get().complete


@pytest.mark.parametrize(("use", "said"), [("gold", "nothing is gold"), ("proposals", "nothing is proposed")])
def test_a_source_without_chains_and_boxes_is_told(tmp_path: Path, capsys: Any, use: str, said: str) -> None:
    (tmp_path / "plain").mkdir()
    Picture.new("RGB", (100, 80)).save(tmp_path / "plain" / "a.jpg")
    (tmp_path / "plain" / "captions.csv").write_text("image,caption\na.jpg,[a man]\n")

    call_command("import_dataset", "parks", str(tmp_path / "plain"), use=use)

    assert f"The source has neither chains nor boxes: {said}." in capsys.readouterr().out


def test_a_name_of_a_person_is_refused_before_anything_is_imported(source: Path, admin_user: User) -> None:
    Worker.objects.create(name="ada")
    with pytest.raises(CommandError, match="'ada' is the name of a worker who is not a program"):
        call_command("import_dataset", "parks", str(source), use="proposals", program="ada")
    with pytest.raises(CommandError, match="add --as proposals"):
        call_command("import_dataset", "parks", str(source), program="ada")
    assert not Project.objects.exists()
    project = open_project(name="parks")
    with pytest.raises(ProgramError, match="'ada' is the name"):
        begin_import(project, admin_user, str(source), use="proposals", program="ada")
    assert not ImportRun.objects.exists()


def test_the_browsers_import_proposes_too(source: Path, admin_user: User) -> None:
    project = open_project(name="parks", settings=ON)
    run = begin_import(project, admin_user, str(source), use="proposals")
    work_on(run.pk)
    run.refresh_from_db()
    told = "3 chains with 2 boxes are proposed for 1 image by the program “import of parks”."
    assert (run.state, standing(run)["note"]) == ("done", f"Pictures used: 1 of 1 in the source. {told}")
    row = ModelPrediction.objects.get()
    assert (row.made_by, row.due) == (admin_user.get_username(), False)


def test_what_came_before_an_import_was_stopped_is_proposed(
    source: Path, admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(**more: Any) -> None:
        import_dataset(**more)
        raise SourceError(Problem("the bucket", None, "", "is gone"))

    monkeypatch.setattr(carry_out, "import_dataset", stopped)
    run = begin_import(open_project(name="parks", settings=ON), admin_user, str(source), use="proposals")
    work_on(run.pk)

    run.refresh_from_db()
    assert (run.state, ModelPrediction.objects.get().due) == ("failed", False)


def test_a_program_is_named_after_its_source() -> None:
    assert [program_of(one, "parks") for one in ("/sets/vg/", "s3://b/refs.zip", "", "a\n")] == [
        "import of vg",
        "import of refs",
        "import of parks",
        "import of a?",
    ]
