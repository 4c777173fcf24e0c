"""Reads conversations with ms-swift, as it gives them to a model: ms_swift FORMAT EXPORT RESULT CACHE."""

import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from studies.interop.found import Edges, Found, Phrase


def read(export_format: str, export: Path, cache: Path) -> Found:
    """Return what ms-swift finds in a folder with annotations.jsonl and its pictures."""
    from swift.dataset import load_dataset
    from swift.template.base import Template
    from swift.template.template_meta import TemplateMeta

    template = Template(None, TemplateMeta("plain", [], [], []), norm_bbox="none")
    loaded, _ = load_dataset([str(export / "annotations.jsonl")], split_dataset_ratio=0, num_proc=1, strict=True)
    found = Found()
    for row in loaded:
        _add(found, row, template, export)
    return found


def _add(found: Found, row: dict[str, Any], template: Any, export: Path) -> None:
    from PIL import Image
    from swift.template.template_inputs import StdTemplateInputs

    (path,) = (one["path"] for one in row["images"])
    name = path.removeprefix("images/")
    with Image.open(export / path) as picture:
        found.sizes[name] = picture.size
        inputs = StdTemplateInputs.from_dict({name: row[name] for name in ("messages", "objects")})
        inputs.images = [picture]
        template._get_height_width(inputs)
        text = ""
        phrases: list[tuple[int, int, list[Edges]]] = []
        signs, ones = template._split_special_tokens([row["messages"][-1]["content"]], [1.0])
        replaced, _ = template._pre_tokenize(list(signs), list(ones), inputs)
    for sign, own in zip(signs, replaced, strict=True):
        if sign == "<bbox>":
            phrases[-1][2].append(_edges(own))
            continue
        if sign == "<ref-object>":
            phrases.append((len(text), len(text) + len(own), []))
        text += own
    found.captions.append((name, text))
    found.phrases += [Phrase(name, text, start, end, tuple(boxes)) for start, end, boxes in phrases]


def _edges(text: str) -> Edges:
    """Return the edges of a box as ms-swift writes it: [(left,top),(right,bottom)]."""
    told = re.fullmatch(r"\[\((\d+),(\d+)\),\((\d+),(\d+)\)\]", text)
    assert told is not None, text
    return tuple(map(int, told.groups()))


if __name__ == "__main__":
    read(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[4])).write(Path(sys.argv[3]), version("ms-swift"))
