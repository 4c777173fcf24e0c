"""Exports of Label Studio: percent become pixels, relations become chains, and what is read otherwise is said."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from exchange.detect import count_images, detect_format
from exchange.tools.picture_address import PictureAddresses
from tests.exchange.tools.exports import (
    TASKS,
    about,
    phrases,
    read,
    rectangle,
    relation,
    span,
    task,
    written_tasks,
)


def read_result(folder: Path, *result: Any, **data: Any) -> tuple[list[Any], list[str], list[str]]:
    """Read a task whose annotation has these results, about the caption “A man and his dog .”, unless data say more."""
    data = data or {"caption": "A man and his dog ."}
    return read(written_tasks(folder, lambda tasks: tasks.__setitem__(0, task([*result], **data))), "label-studio")


def test_relations_give_phrases_their_boxes_and_join_them(tmp_path: Path) -> None:
    written_tasks(tmp_path)
    assert (detect_format(tmp_path), count_images(tmp_path, "label-studio")) == ("label-studio", 1)
    (image,), problems, remarks = read(tmp_path, "label-studio")

    assert (image.path, image.width, image.height) == ("0a1b2c3d-one.jpg", 200, 80)
    assert [one.text for one in image.captions] == ["A man and his dog .", "She waits .", "a tree."]
    man, dog, tree = (0, 0, 21, 60), (30, 20, 50, 40), (100, 0, 120, 40)
    assert phrases(image) == [("A man", [man]), ("his dog", [dog]), ("She", [man]), ("a tree", [tree])]
    chains = [one.chain for one in image.mentions]
    assert (chains[0] == chains[2], len({*chains})) == (True, 3)
    assert ([one.types for one in image.mentions], problems, remarks) == ([("people",), (), (), ("other",)], [], [])


def test_a_box_without_a_relation_has_its_labels_as_category(tmp_path: Path) -> None:
    (image,), _, remarks = read_result(
        tmp_path, rectangle("b", (0, 0, 50, 50), "Cat", "Pet"), rectangle("c", (0, 0, 9, 9))
    )
    assert [(tuple(one.box), one.chains, one.category) for one in image.boxes] == [
        ((0, 0, 100, 40), (), "Cat"),
        ((0, 0, 100, 40), (), "Pet"),
    ]
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


def test_of_several_annotations_the_ground_truth_is_read_or_else_the_newest_that_was_not_cancelled(
    tmp_path: Path,
) -> None:
    def made(text: str, **more: Any) -> dict[str, Any]:
        return {"result": [about("t", text)], "was_cancelled": False, **more}

    old, new = made("old", updated_at="2024-01-01"), made("new", updated_at="2024-02-01")
    cancelled = made("cancelled", updated_at="2025-01-01", was_cancelled=True)

    def several(*rows: Any) -> tuple[str, list[str]]:
        several = task([]) | {"annotations": [*rows], "predictions": [{"result": []}]}
        Picture.new("RGB", (200, 80)).save(tmp_path / "one.jpg")
        (image,), _, remarks = read(
            written_tasks(tmp_path, lambda tasks: tasks.__setitem__(0, several)), "label-studio"
        )
        return image.captions[0].text, remarks

    assert several(new, old, cancelled) == (
        "new",
        [
            "export.json: Predictions of tasks, passed over: 1",
            "export.json: Tasks with several annotations, of which the ground truth is read, or else the newest: 1",
        ],
    )
    assert several(new, made("truth", ground_truth=True))[0] == "truth"
    assert several(cancelled, old) == ("old", ["export.json: Predictions of tasks, passed over: 1"])


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
    (image,), problems, _ = read_result(
        tmp_path, box, named, units, relation("s", "b"), relation("t", "b"), captions=captions
    )
    assert (problems, [one[0] for one in phrases(image)]) == ([], ["A cat", "A man"])
    assert [one.caption for one in image.mentions] == [0, 1]


def test_texts_that_people_wrote_about_the_picture_are_captions(tmp_path: Path) -> None:
    (image,), *_ = read_result(
        tmp_path, rectangle("b", (0, 0, 5, 5), "x"), about("t", "A park .", "A tree ."), other=""
    )
    assert [(one.text, one.chunked) for one in image.captions] == [("A park .", False), ("A tree .", False)]
    child = about("t", "the tree", parentID="b")
    (image,), *_ = read_result(tmp_path, rectangle("b", (0, 0, 5, 5), "x"), child, other="")
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
    assert len(TASKS) == 1


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/data/upload/3/0a1b2c3d-one.jpg", "one.jpg"),
        ("/data/upload/0a1b2c3d-two.jpg", "0a1b2c3d-two.jpg"),
        ("/data/local-files/?d=sets/my%20parks/a.jpg", "sets/my parks/a.jpg"),
        ("/data/local-files/?d=sets\\parks\\a.jpg", "sets/parks/a.jpg"),
        ("s3://bucket/sets/a.jpg", "sets/a.jpg"),
        ("https://example.org/sets/a%20b.jpg?token=1", "sets/a b.jpg"),
        ("C:\\sets\\a.jpg", "sets/a.jpg"),
        ("sets/a.jpg", "sets/a.jpg"),
    ],
)
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
