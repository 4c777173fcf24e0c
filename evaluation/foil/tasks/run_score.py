"""The step `foil score` [paper Shekhar, Results]: tasks 1 to 3 of chance, models and people on the items of a part."""

from collections.abc import Mapping
from pathlib import Path

from evaluation.errors import InputError
from evaluation.foil.human.agreement import add_people, people_of
from evaluation.foil.human.people import captions_of, check_items
from evaluation.foil.human.votes import read_votes
from evaluation.foil.item import CORRECT, FOIL, Item, name_of, read_items
from evaluation.foil.making.lexicon import COCO_WORDS, TEST, TRAIN, Lexicon, read_lexicon
from evaluation.foil.models.blind import Blind
from evaluation.foil.models.box_aware import BoxAware, read_detections
from evaluation.foil.models.model import Model, shown_captions
from evaluation.foil.models.predictions_file import FromFile, read_predictions
from evaluation.foil.tasks.score_model import ask, score_model
from evaluation.foil.tasks.score_tables import add_scores
from evaluation.reading.coco import read_instances
from evaluation.report import Report
from evaluation.work import Work

ALL = "all"


def run_score(work: Work) -> Report:
    """Score every model that can be had from the given files."""
    lexicon, part = read_lexicon(work.file("lexicon") or COCO_WORDS), work.options["part"]
    path = work.required("items")
    every = read_items(path, lexicon)
    items = [item for item in every if part in (ALL, item.part)]
    if not items:
        raise InputError(f"{path.name} has no items of the part {part!r}: choose another one as --part.")
    report = Report("FOIL: tasks 1 to 3", len(items), f"items of the part {part}")
    models = _models(work, lexicon, every, items, report)
    asked = ask(items)
    scored = [score_model(model, asked) for model in work.progress(models, "scoring")]
    add_scores(report, asked, scored, len(lexicon.words))
    _add_people(work, items, lexicon, report)
    rows = [[item.image, item.part] for item in every]
    splits = list(dict.fromkeys(map(tuple, rows)))
    report.table("splits", "Images by part", ["image", "part"], splits, on_page=False)
    report.split = {kind: sorted({item.image for item in every if item.part == kind}) for kind in (TRAIN, TEST)}
    return report


def _models(work: Work, lexicon: Lexicon, every: list[Item], items: list[Item], report: Report) -> list[Model]:
    models: list[Model] = []
    fitted = [item for item in every if item.part == TRAIN]
    if work.options["part"] == TEST and fitted:
        correct, foils = (shown_captions(fitted, version, tagged=False) for version in (CORRECT, FOIL))
        models.append(Blind(correct, foils, lexicon))
    else:
        report.missing["blind"] = "items of the part train to fit on and the part test to score"
    for option, name in (("instances", "boxes"), ("detections", "detections")):
        path = work.file(option)
        if path is None:
            report.missing[f"box-aware ({name})"] = f"the categories of the images' boxes (--{option})"
        else:
            categories = read_instances(path) if option == "instances" else read_detections(path)
            _check_images(categories, items, path)
            models.append(BoxAware(f"box_aware.{name}", categories, lexicon))
    predictions = work.file("predictions")
    if predictions is None:
        report.missing["CNN + LSTM, LSTM + norm I, HieCoAttn, IC-Wang"] = "predictions of these models (--predictions)"
    else:
        names = {name_of(item.item, version) for item in items for version in (CORRECT, FOIL)}
        answers, others = read_predictions(predictions, names, work.options["part"])
        report.leave_out(others, "captions of the file")
        models.append(FromFile(work.options["name"], answers))
        report.put({"missing": len(names) - len(answers)})
        if len(answers) < len(names):
            report.notes.append(
                f"{len(names) - len(answers):,} captions have no line in the file: they count as wrong."
            )
    return models


def _check_images(categories: Mapping[str, set[str]], items: list[Item], path: Path) -> None:
    if missing := sorted({item.image for item in items} - categories.keys()):
        raise InputError(
            f"{path.name} does not list the image {missing[0]!r} of the items ({len(missing):,} are missing)."
        )


def _add_people(work: Work, items: list[Item], lexicon: Lexicon, report: Report) -> None:
    path = work.file("votes")
    if path is None:
        report.missing["people"] = "votes of a survey (--votes)"
        return
    votes = read_votes(path, work.options["least"])
    versions, words = captions_of(items)
    check_items(votes.by_item, versions, path.name)
    add_people(report, people_of(votes.by_item, versions, words, lexicon))
    report.notes += votes.notes
