"""Detectors that run in this process, and the worked example with a tiny network."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from clients.annotator import onnx_detector
from clients.annotator.errors import AnnotatorError, WrongUse
from clients.annotator.pictures import PictureLoader
from clients.annotator.propose import ByFunction, load_function
from tests.support.table import row

RED = (255, 0, 0)


def tiny_network(path: Path) -> None:
    """Write a detector that finds a man and two dogs at fixed places; the redder the picture, the surer the man."""
    rows = np.array([[[64, 128, 320, 256, 0, 0], [0, 0, 160, 160, 0.6, 1], [320, 0, 480, 160, 0.9, 1]]], np.float32)
    mask = np.zeros((1, 3, 6), np.float32)
    mask[0, 0, 4] = 1
    red, shape = np.array([0], np.int64), np.array([1, 1, 1], np.int64)
    constants: dict[str, Any] = {"rows": rows, "mask": mask, "red": red, "shape": shape}
    nodes = [
        helper.make_node("GlobalAveragePool", ["picture"], ["mean"]),
        helper.make_node("Gather", ["mean", "red"], ["redness"], axis=1),
        helper.make_node("Reshape", ["redness", "shape"], ["sure"]),
        helper.make_node("Mul", ["mask", "sure"], ["scores"]),
        helper.make_node("Add", ["rows", "scores"], ["boxes"]),
    ]
    side = onnx_detector.SIDE
    picture = helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, side, side])
    boxes = helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [1, 3, 6])
    made = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "tiny", [picture], [boxes], made)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tiny_network(tmp_path / "tiny.onnx")
    (tmp_path / "classes.txt").write_text("man\ndog\n")
    monkeypatch.setenv("DETECTOR_ONNX", str(tmp_path / "tiny.onnx"))
    monkeypatch.setenv("DETECTOR_CLASSES", str(tmp_path / "classes.txt"))
    onnx_detector._load.cache_clear()
    return tmp_path


def image(*phrases: str) -> dict[str, Any]:
    told = [{"caption": 0, "words": [0, 1], "text": one} for one in phrases]
    return {"name": "1", "url": "/s", "full_url": "/f", "width": 1280, "height": 640, "phrases": told}


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> PictureLoader:
    made = PictureLoader(lambda address: b"", longest=64)
    monkeypatch.setattr(made, "whole", lambda image: Image.new("RGB", (640, 320), RED))
    return made


def test_the_example_sees_the_picture_and_finds_the_things_that_phrases_name(files: Path) -> None:
    boxes, scores = onnx_detector.predict(Image.new("RGB", (640, 640), RED), ["a man", "two Dogs", "some fun"])
    assert boxes[0] == [[64, 128, 320, 256]] and scores[0] == pytest.approx([1.0])
    assert boxes[1] == [[0, 0, 160, 160], [320, 0, 480, 160]] and scores[1] == pytest.approx([0.6, 0.9])
    assert boxes[2] == [] and scores[2] == []
    assert onnx_detector.predict(Image.new("RGB", (640, 640), (0, 0, 255)), ["a man"])[0] == [[]]


CLASSES = ["person", "man", "dog", "hot dog", "traffic light", "tennis racket", "bus", "knife", "bear", "teddy bear"]
CLASSES += ["wine glass", "chest of drawers", "", "swimming pool", "sports ball", "baseball bat", "bat"]


@row("a man in a red shirt with two dogs", "man")
@row("The man's dog", "dog")
@row("a hot dog", "hot dog")
@row("two big hot dogs on a plate", "hot dog")
@row("a red traffic light", "traffic light")
@row("Traffic lights", "traffic light")
@row("a street light", "")
@row("the racket", "tennis racket")
@row("the buses", "bus")
@row("kitchen knives", "knife")
@row("three people", "person")
@row("a group of men", "man")
@row("a glass of wine", "wine glass")
@row("a man running", "man")
@row("a blue swimming pool", "swimming pool")
@row("an old chest of drawers", "chest of drawers")
@row("a white teddy bear", "teddy bear")
@row("a polar bear", "bear")
@row("a bat", "bat")
@row("a dog house", "")
@row("men, women", "")
@row("he", "")
@row("...", "")
def test_a_phrase_names_the_class_of_the_noun_that_it_is_about(phrase: str, name: str) -> None:
    number = onnx_detector.class_of(phrase, CLASSES)
    assert (CLASSES[number] if number >= 0 else "") == name


def test_boxes_are_those_of_the_image_the_surest_first(files: Path, pictures: PictureLoader) -> None:
    man, dogs = ByFunction("clients.annotator.onnx_detector:predict", pictures).boxes(image("a man", "two dogs"))
    assert [box for box, _ in man] == [(128, 256, 640, 512)]
    assert [box for box, _ in dogs] == [(640, 0, 960, 320), (0, 0, 320, 320)]
    assert [score for _, score in dogs] == pytest.approx([0.9, 0.6])


@row("detector", "module:function")
@row("no_such_module:predict", "cannot be imported")
@row("clients.annotator.onnx_detector:find", "no function 'find'")
@row("clients.annotator.onnx_detector:SIDE", "is no function")
def test_a_function_that_is_not_there_is_named(place: str, said: str) -> None:
    with pytest.raises(WrongUse, match=rf"--predict {place}: .*{said}"):
        load_function(place)


def test_a_module_of_the_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_detector_of_mine.py").write_text("def predict(picture, phrases): return [[]], [[]]\n")
    monkeypatch.chdir(tmp_path)
    assert load_function("a_detector_of_mine:predict")(Image.new("RGB", (1, 1)), ["a man"]) == ([[]], [[]])


@pytest.mark.parametrize("returned", [([], []), ([[[1, 2, 3]]], [[0.5]]), (7, 8), ([[[0, 0, 9, 9]]], [[]])])
def test_a_function_that_returns_something_else_is_told_for_which_image(
    pictures: PictureLoader, monkeypatch: pytest.MonkeyPatch, returned: Any
) -> None:
    monkeypatch.setattr(onnx_detector, "predict", lambda picture, phrases: returned)
    with pytest.raises(AnnotatorError, match=r"failed for the image 1: .* a list for each of the 1 phrases"):
        ByFunction("clients.annotator.onnx_detector:predict", pictures).boxes(image("a man"))


@pytest.mark.parametrize("name", ["DETECTOR_ONNX", "DETECTOR_CLASSES"])
def test_a_missing_file_and_no_network_are_named(files: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (files / "tiny.onnx").write_bytes(b"weights")
    with pytest.raises(WrongUse, match=r"tiny\.onnx: OpenCV cannot read it"):
        onnx_detector.predict(Image.new("RGB", (1, 1)), [])
    monkeypatch.setenv(name, "/nowhere")
    with pytest.raises(WrongUse, match=f"{name} must name a file; it is '/nowhere'"):
        onnx_detector.predict(Image.new("RGB", (1, 1)), [])
