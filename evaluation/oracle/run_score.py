"""The step `score` [paper Yao 5.3]: BLEU, METEOR, ROUGE-L and CIDEr of captions in the format of COCO's results."""

from collections.abc import Container, Mapping
from pathlib import Path, PurePosixPath

from typing_extensions import TypedDict

from evaluation.errors import InputError
from evaluation.oracle.corpus import check_captions
from evaluation.reading.caption_file import read_named_captions
from evaluation.reading.json_lines import coco_id, json_file, member
from evaluation.report import Cell, Report
from evaluation.scoring.caption_scores import NO_JAVA, java, score_captions, split_captions
from evaluation.work import StepWork


class CaptionResult(TypedDict):
    """A caption that a model gives an image."""

    image_id: str | int
    """The image's id in the references, or its name."""
    caption: str
    """The text."""


def read_hypotheses(path: Path, names: Mapping[str, str], images: Container[str]) -> tuple[dict[str, str], list[str]]:
    """Return the caption of each image, and the images without references.

    `images`: the names of those with references; `names`: by their ids.

    An image is told by its id in the references, if they have ids, or by its name.

    Raises InputError for a file of another form, a doubled image, and if no image has references.
    """
    value = json_file(path)
    if not isinstance(value, list):
        raise InputError(f'{path.name} is not a list of {{"image_id", "caption"}}.')
    found: dict[str, str] = {}
    for place, entry in enumerate(value, start=1):
        where = f"{path.name}, caption {place}"
        told = str(coco_id(member(entry, "image_id", where), f"{where}: the field 'image_id'"))
        caption = member(entry, "caption", where)
        image = names.get(told, told)
        if image not in images and PurePosixPath(told).stem in images:
            image = PurePosixPath(told).stem
        if not isinstance(caption, str):
            raise InputError(f"{where}: the field 'caption' is not text.")
        if image in found:
            raise InputError(f"{where}: the image {image} has a caption already; give one an image.")
        found[image] = caption
    if not found:
        raise InputError(f"{path.name} holds no captions.")
    missing = [image for image in found if image not in images]
    if len(missing) == len(found):
        raise InputError(
            f"{path.name}: the image {missing[0]} has no references, nor has any other one of the file. Give the "
            "references of the split that was captioned."
        )
    return {image: caption for image, caption in found.items() if image in images}, missing


def run_score(work: StepWork) -> Report:
    """Score the captions against their images' references."""
    hypotheses, references = work.required("hypotheses"), work.required("references")
    known, names = read_named_captions(references)
    captions, missing = read_hypotheses(hypotheses, names, known)
    own = {image: known[image] for image in captions}
    check_captions(own)
    found = score_captions(captions, split_captions(own))
    report = Report("Captions: scores", len(captions), "images")
    report.put(found.total)
    report.leave_out(missing, "images of the captions")
    report.table("scores", "Scores", ("metric", "score"), list(found.total.items()))
    rows: list[list[Cell]] = [
        [image, caption, *(found.each[metric][image] for metric in found.each)] for image, caption in captions.items()
    ]
    report.table("images", "Scores of each image", ("image", "caption", *found.each), rows, on_page=False)
    counts = sorted({len(texts) for texts in own.values()})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    report.notes.append(
        f"{span} references an image. Images with references and no caption, left out: {len(known) - len(own):,}. "
        "CIDEr is on the scale of 0 to 10; its weights of words are counted on these references, so that it depends on "
        "the images scored."
    )
    if not java():
        report.notes.append(NO_JAVA)
        report.missing["METEOR"] = "the program java"
    return report
