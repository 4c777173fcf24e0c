"""The step `score` [paper Yao 5.3]: BLEU, METEOR, ROUGE-L and CIDEr of captions in the format of COCO's results."""

from evaluation.oracle.corpus import check_captions
from evaluation.oracle.hypotheses import read_hypotheses
from evaluation.reading.caption_file import read_captions
from evaluation.report import Cell, Report, Table
from evaluation.scoring.caption_scores import NO_JAVA, score_captions, split_captions
from evaluation.scoring.caption_words import java
from evaluation.work import Work


def run_score(work: Work) -> Report:
    """Score the captions against their images' references."""
    hypotheses, references = work.file("hypotheses"), work.file("references")
    assert hypotheses is not None and references is not None
    known = read_captions(references)
    captions = read_hypotheses(hypotheses, references, known)
    own = {image: known[image] for image in captions}
    check_captions(own)
    found = score_captions(captions, split_captions(own))
    report = Report("Captions: scores", len(captions), "images")
    report.put(found.total)
    report.tables.append(Table("scores", "Scores", ("metric", "score"), list(found.total.items())))
    rows: list[list[Cell]] = [
        [image, caption, *(found.each[metric][image] for metric in found.each)] for image, caption in captions.items()
    ]
    report.tables.append(
        Table("images", "Scores of each image", ("image", "caption", *found.each), rows, on_page=False)
    )
    counts = sorted({len(texts) for texts in own.values()})
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    report.notes.append(
        f"{span} references an image; {len(known) - len(own):,} images with references have no caption: left out. "
        "CIDEr is on the scale of 0 to 10; its weights of words are counted on these references, so that it depends on "
        "the images scored."
    )
    if not java():
        report.notes.append(NO_JAVA)
        report.missing["METEOR"] = "the program java"
    return report
