"""Scenes of exports."""

from pathlib import Path

from evaluation.content_selection.from_pictures import scene_of
from evaluation.reading.entities import read_entities
from evaluation.reading.picture import Picture


def test_boxes_are_chains_with_a_box_and_descriptions_refer_to_them_in_order(export: Path) -> None:
    _, man = read_entities(export)
    scene = scene_of(man)
    assert [(one.id, one.concept) for one in scene.boxes] == [("1", "man"), ("2", "hat"), ("3", "dog")]
    assert scene.references == (("1", "2", "3"), ("1",))
    assert scene.members.tolist() == [[True, True, True], [True, False, False]]


def test_loose_boxes_distract(export: Path) -> None:
    _, man = read_entities(export)
    loose = Picture("man", 120, 100, man.captions, man.boxes, (("umbrella", (0, 0, 5, 5)),))
    assert [(one.id, one.concept) for one in scene_of(loose).boxes][3:] == [("box 1", "umbrella")]


def test_ids_are_sorted_by_their_number(export: Path) -> None:
    text = (export / "Sentences" / "cat.txt").read_text()
    (export / "Sentences" / "cat.txt").write_text(text.replace("[", "[/EN#10/other Fur] of [", 1))
    file = export / "Annotations" / "cat.xml"
    file.write_text(file.read_text().replace("</name>", "</name><name>10</name>"))
    assert [one.id for one in scene_of(read_entities(export)[0]).boxes] == ["9", "10"]
