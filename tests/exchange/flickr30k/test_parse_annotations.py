import re

import pytest

from annotation.rules.box import Box
from exchange.dataset import DatasetBox
from exchange.flickr30k.annotations import parse_annotations
from exchange.problems import Defect

BOX = "<bndbox><xmin>1</xmin><ymin>18</ymin><xmax>60</xmax><ymax>40</ymax></bndbox>"


def annotation(*objects: str, size: str = "<width>60</width><height>40</height>") -> bytes:
    inner = "\n".join(f"<object>{content}</object>" for content in objects)
    return f"<annotation>\n<size>{size}</size>\n{inner}\n</annotation>".encode()


def test_it_reads_boxes_as_half_open_pixels_with_all_their_chains() -> None:
    read = parse_annotations(annotation(f"<name>7</name><name>3</name>{BOX}", f"<name>3</name>{BOX}"))
    assert (read.width, read.height) == (60, 40)
    assert read.boxes == (DatasetBox(Box(0, 17, 60, 40), ("7", "3")), DatasetBox(Box(0, 17, 60, 40), ("3",)))
    assert read.lines == {"7": 3, "3": 3}


def test_it_reads_the_flags_of_chains_without_a_box() -> None:
    scene = "<name>1</name><scene>1</scene><nobndbox>0</nobndbox>"
    no_box = "<name>2</name><scene>0</scene><nobndbox>1</nobndbox>"
    read = parse_annotations(annotation(scene, no_box))
    assert (read.scene, read.no_box, read.boxes) == ({"1"}, {"2"}, ())


def test_it_takes_a_whole_number_written_with_a_point() -> None:
    assert parse_annotations(annotation("<name>1</name>" + BOX.replace("60", "60.0"))).boxes[0].box.x1 == 60


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<xmax>60</xmax>", "<xmax>61</xmax>", "the box 1 18 61 40 is not inside the image of 60 x 40 pixels"),
        ("<xmin>1</xmin>", "<xmin>0</xmin>", "the box 0 18 60 40 is not inside"),
        ("<xmin>1</xmin>", "<xmin>-5</xmin>", "the box -5 18 60 40 is not inside"),
        ("<xmax>60</xmax>", "<xmax>0</xmax>", "has no area"),
        ("<ymin>18</ymin>", "<ymin>41</ymin>", "has no area"),
        ("<xmin>1</xmin>", "<xmin>NaN</xmin>", "<xmin> is 'NaN': boxes are whole pixels"),
        ("<xmin>1</xmin>", "<xmin>inf</xmin>", "<xmin> is 'inf': boxes are whole pixels"),
        ("<xmin>1</xmin>", "<xmin>1.5</xmin>", "<xmin> is '1.5': boxes are whole pixels"),
        ("<xmin>1</xmin>", "<xmin></xmin>", "<xmin> is '': boxes are whole pixels"),
        ("<xmin>1</xmin>", "", "<bndbox> has 0 <xmin> where one belongs"),
        ("<xmin>1</xmin>", "<xmin>1</xmin><xmin>2</xmin>", "<bndbox> has 2 <xmin> where one belongs"),
        ("<name>1</name>", "<name>dog</name>", "chain id 'dog' is not a whole number"),
        ("<name>1</name>", "", "<object> needs a <name> per chain"),
        ("<name>1</name>", "<name>1</name><name>1</name>", "<object> needs a <name> per chain"),
        ("<name>1</name>", "<name>0</name>", "<object> needs a <name> per chain"),
        (BOX, "", "<object> has neither a <bndbox> nor a flag"),
        (BOX, "<scene>2</scene>", "<scene> is '2': write 0 or 1"),
    ],
)
def test_it_refuses_bad_objects_and_says_at_which_line(old: str, new: str, message: str) -> None:
    good = "<name>1</name>" + BOX
    assert old in good
    with pytest.raises(Defect, match=re.escape(message)) as raised:
        parse_annotations(annotation(good, good.replace(old, new)))
    assert raised.value.line == 4


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ("<width>0</width><height>4</height>", "at least one pixel"),
        ("<width>-3</width><height>4</height>", "at least one pixel"),
        ("<width>3</width>", "<size> has 0 <height>"),
        ("<width>x</width><height>4</height>", "<width> is 'x'"),
    ],
)
def test_it_refuses_an_image_without_a_size(size: str, message: str) -> None:
    with pytest.raises(Defect, match=message):
        parse_annotations(annotation(size=size))


@pytest.mark.parametrize(
    "data",
    [b"", b"<annotation>", b"<annotation>\n<a></b></annotation>", b"<annotation>\xe9</annotation>", b"\x00\x01", b"{}"],
)
def test_it_refuses_broken_xml(data: bytes) -> None:
    with pytest.raises(Defect, match="broken XML") as raised:
        parse_annotations(data)
    assert raised.value.line is not None


def test_it_refuses_another_kind_of_xml() -> None:
    with pytest.raises(Defect, match="<html> where <annotation> belongs"):
        parse_annotations(b"<html/>")


@pytest.mark.parametrize(
    "entity",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">',
        '<!ENTITY c SYSTEM "file:///etc/passwd">',
    ],
)
def test_it_refuses_entity_bombs_and_outside_files(entity: str) -> None:
    data = f"<!DOCTYPE annotation [{entity}]><annotation><x>&c;</x></annotation>".encode()
    with pytest.raises(Defect, match="has a document type or entities, which are refused"):
        parse_annotations(data)
