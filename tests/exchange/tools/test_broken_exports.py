"""Broken exports of annotation tools are named by file and line or key, and nothing of them is imported by half."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Image
from exchange.import_dataset import import_dataset
from exchange.problems import SourceError
from tests.exchange.grounding.sets import set_of, without
from tests.exchange.tools.exports import Edit, about, read, relation, written_cvat, written_tasks

RESULT = (0, "annotations", 0, "result")
FIRST, SPAN = (*RESULT, 0), (*RESULT, 3)


def adding(one: Any) -> Edit:
    """Return an edit that adds a result."""
    return lambda data: data[0]["annotations"][0]["result"].append(one)


BROKEN_TASKS = {
    "a task that is no object": (lambda data: data.append([]), "tasks[1] has no 'data'"),
    "the short form": (
        lambda data: data.__setitem__(0, {"annotator": 1, "image": "a.jpg"}),
        "export as JSON, not as JSON_MIN",
    ),
    "data that are no object": (set_of(0, "data", to=3), "tasks[0].data is not an object"),
    "no picture": (without(0, "data", "image"), "tasks[0].data has no 'image'"),
    "a picture that is no text": (set_of(0, "data", "image", to=3), "tasks[0].data.image is a number, not a text"),
    "a picture in the file": (set_of(0, "data", "image", to="data:image/png;base64,AA"), "holds the picture itself"),
    "an address of something else": (set_of(0, "data", "image", to="mailto:a.jpg"), "is no address of a picture"),
    "a path that leads out": (set_of(0, "data", "image", to="../one.jpg"), "write it relative to the folder"),
    "annotations that are no list": (
        set_of(0, "annotations", to={"a": 1}),
        "tasks[0].annotations is an object, not a list",
    ),
    "an annotation that is no object": (set_of(0, "annotations", 0, to=3), "tasks[0].annotations[0] is not an object"),
    "no result": (without(0, "annotations", 0, "result"), "tasks[0].annotations[0] has no 'result'"),
    "nobody who says the size": (set_of(*RESULT, to=[]), "the picture 0a1b2c3d-one.jpg is missing"),
    "half a pixel": (set_of(*FIRST, "original_width", to=0.5), "result[0].original_width is 0.5, not a whole number"),
    "two sizes": (
        set_of(*FIRST, "original_width", to=90),
        "has 200 x 80 pixels here and 90 x 80 in tasks[0].annotations[0].result[0]",
    ),
    "no type": (without(*FIRST, "type"), "result[0] has no 'type'"),
    "no value": (without(*FIRST, "value"), "result[0] has no 'value'"),
    "a value that is no object": (set_of(*FIRST, "value", to=[]), "result[0].value is not an object"),
    "no id": (without(*FIRST, "id"), "result[0] has no 'id'"),
    "an edge that is no number": (set_of(*FIRST, "value", "x", to="1"), "result[0].value.x is a text, not a number"),
    "a box outside": (set_of(*FIRST, "value", "x", to=95), "is not inside the image of 200 x 80 pixels"),
    "a box without area": (set_of(*FIRST, "value", "width", to=0), "has no area"),
    "a turned picture": (set_of(*FIRST, "image_rotation", to=90), "image_rotation is 90: turn the picture itself"),
    "labels that are no list": (
        set_of(*FIRST, "value", "rectanglelabels", to="Dog"),
        "rectanglelabels is a text, not a list",
    ),
    "a span beyond the caption": (set_of(*SPAN, "value", "end", to=99), "is in no caption that “caption” can mean"),
    "a span of other words": (set_of(*SPAN, "value", "text", to="cat"), "'cat' [0, 5) is in no caption"),
    "half a character": (set_of(*SPAN, "value", "start", to=0.5), "start and end are not whole numbers of characters"),
    "a place in a page": (set_of(*SPAN, "value", "start", to="/p[1]"), "value.start is a text, not a number"),
    "an id twice": (set_of(*RESULT, 4, "id", to="s1"), "result[4]: the id 's1' occurs twice"),
    "half a word": (
        lambda data: [set_of(*SPAN, "value", "end", to=4)(data), without(*SPAN, "value", "text")(data)],
        "are not at the edges of words",
    ),
    "a relation to nothing": (adding(relation("s1", "gone")), "names 'gone', which is neither a box nor a span"),
    "a relation without an end": (adding({"type": "relation", "from_id": "s1"}), "result[10] has no 'to_id'"),
    "a text about nothing": (adding(about("x", "a cat", parentID="gone")), "is about 'gone', which is no box"),
    "an empty text": (adding(about("x", " ")), "result[10].value.text is empty"),
    "a text without a word": (adding(about("man", "...")), "result[10].value.text has no word"),
    "a control character": (
        set_of(0, "data", "caption", to="A man\x07"),
        "tasks[0].data.caption has the control character U+0007",
    ),
    "a caption that is a number": (
        set_of(0, "data", "caption", to=[3]),
        "tasks[0].data.caption[0] is a number, not a text",
    ),
    "no caption": (
        lambda data: [
            set_of(*RESULT, to=data[0]["annotations"][0]["result"][:1])(data),
            without(0, "data", "caption")(data),
        ],
        "tasks[0] has no caption",
    ),
}
BROKEN_CVAT = {
    "no name": ('name="a/one.jpg" ', "", ":5: <image> has no name"),
    "a path that leads out": ("a/one.jpg", "../one.jpg", ":5: <image>: picture path '../one.jpg': write it relative"),
    "no width": ('width="200" ', "", ":5: <image> has no width"),
    "half a pixel": ('height="80"', 'height="80.5"', ":5: <image> height is '80.5', not a whole number of pixels"),
    "no pixel": ('height="80"', 'height="0"', ":5: <image> height is '0', not a whole number of pixels"),
    "no label": ('<box label="man"', "<box", ":6: <box> has no label"),
    "no edge": ('xtl="0.50" ', "", ":6: <box> has no xtl"),
    "an edge that is no number": ('xtl="0.50"', 'xtl="left"', ":6: <box> xtl is 'left', not a number"),
    "an edge that is not finite": ('xtl="0.50"', 'xtl="nan"', ":6: <box> xtl is 'nan', not a number"),
    "an edge of a thousand digits": ('xtl="0.50"', f'xtl="{"9" * 1000}"', ":6: <box> xtl is '9999"),
    "a box outside": (
        'xbr="20.50"',
        'xbr="300"',
        ":6: <box> [0.5, 0.0, 299.5, 60.0] is not inside the image of 200 x 80",
    ),
    "edges the wrong way round": ('xbr="20.50"', 'xbr="0.20"', "has no area"),
    "a turn that is no number": (
        'ybr="60.00"',
        'ybr="60.00" rotation="up"',
        ":6: <box> rotation is 'up', not a number",
    ),
    "two points": ("120.00,0.00;110.50,40.25", "120.00,0.00", ":11: <polygon> points are not three pairs or more"),
    "a point of three": ("120.00,0.00;", "120.00,0.00,1;", ":11: <polygon> points are not three pairs"),
    "a point that is no number": ("120.00,0.00;", "x,0.00;", ":11: <polygon> points is 'x', not a number"),
    "no points": ('points="100.00,0.00;120.00,0.00;110.50,40.25" ', "", ":11: <polygon> has no points"),
    "a polygon in a corner outside": (
        "100.00,0.00;120.00,0.00;110.50,40.25",
        "300,0;320,0;310,40",
        ":11: <polygon> [200.0, 0.0, 0.0, 40.0] has no area",
    ),
    "an attribute without a name": ('<attribute name="weather">', "<attribute>", ":15: <attribute> has no name"),
    "a caption without a word": ("two friends", "...", ":7: the caption has no word"),
    "a long caption": ("A man and", "A " * 2000, ":14: the caption has 4,010 characters: at most 3,000 are allowed"),
    "an image twice": (
        "</annotations>",
        '<image id="1" name="a/one.jpg" width="200" height="80"/></annotations>',
        ":18: a/one.jpg is also in line 5",
    ),
    "an image without anything": (
        "</annotations>",
        '<image id="1" name="b.jpg" width="200" height="80"/></annotations>',
        ":18: has no caption: give a tag or a box an attribute “caption”",
    ),
}


@pytest.mark.parametrize(("edit", "told"), BROKEN_TASKS.values(), ids=BROKEN_TASKS)
def test_a_broken_task_is_named_with_its_place(tmp_path: Path, edit: Edit, told: str) -> None:
    images, problems, _ = read(written_tasks(tmp_path, edit), "label-studio")

    assert len(images) == told.startswith("tasks[1]"), "nothing of it is read by half"
    assert any(told in one for one in problems), problems
    assert all(one.startswith("export.json: ") for one in problems)


@pytest.mark.parametrize(("old", "new", "told"), BROKEN_CVAT.values(), ids=BROKEN_CVAT)
def test_a_broken_row_is_named_with_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    _, problems, _ = read(written_cvat(tmp_path, (old, new)), "cvat")

    assert any(f"annotations.xml{told}" in one or told in one for one in problems), problems
    assert all(one.startswith("annotations.xml:") for one in problems)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("label-studio", '[{"data": ', "export.json:1: ends within the list, in entry [0]"),
        ("label-studio", "{}", "has 0 .json files of Label Studio: it needs one"),
        ("cvat", "<annotations><image", "annotations.xml:1: broken XML"),
        ("cvat", "<annotations></wrong>", "annotations.xml:1: broken XML"),
        ("cvat", '<!DOCTYPE a [<!ENTITY b "c">]><annotations/>', "has a document type or entities"),
        ("cvat", "<other><annotations/></other>", "annotations.xml:1: <other> where <annotations> belongs"),
        ("cvat", f"<annotations><image>{'<box/>' * 20_001}</image></annotations>", "has more than 20,000 elements"),
        ("cvat", f"<annotations><image>{'a' * 1_100_000}</image></annotations>", "more than 1,048,576 characters"),
        ("cvat", "<nothing/>", "has 0 .xml files of CVAT: it needs one"),
    ],
)
def test_a_file_that_is_none_of_the_tool_is_refused(tmp_path: Path, name: str, text: str, told: str) -> None:
    (tmp_path / {"label-studio": "export.json", "cvat": "annotations.xml"}[name]).write_text(text)
    with pytest.raises(SourceError) as refused:
        read(tmp_path, name)
    assert told in str(refused.value)


@pytest.mark.slow
@pytest.mark.django_db
def test_nothing_of_a_broken_image_is_imported_and_the_others_are(tmp_path: Path) -> None:
    tag = '<tag label="a"><attribute name="text">A cat .</attribute></tag>'
    good = f'<image id="1" name="b.jpg" width="9" height="9">{tag}</image></annotations>'
    written_cvat(tmp_path, ('xtl="0.50"', 'xtl="left"'), ("</annotations>", good))

    report = import_dataset(project_name="parks", path=tmp_path)

    assert (report.left_out, report.images) == (1, 1)
    assert Image.objects.get().path == "b.jpg"
