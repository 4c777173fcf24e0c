"""The step `foil generate`: captions in, items.jsonl, their composition and losses out [paper Shekhar, Composition]."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evaluation.errors import InputError
from evaluation.foil.item import COMPOSITION, captions_text, items_text
from evaluation.foil.making.lexicon import (
    COCO_WORDS,
    TEST,
    TRAIN,
    Lexicon,
    assign_parts,
    bare,
    lexicon_of_export,
    pairs_of,
    pieces_of,
    read_lexicon,
    split_pairs,
)
from evaluation.foil.making.make_items import (
    CaptionLoss,
    CaptionSource,
    Losses,
    MadeItems,
    Maker,
    Trigram,
    marked_captions,
    read_source,
)
from evaluation.report import Cell, ChartLine, Report, add_bars, add_lines
from evaluation.work import StepWork

BINS = 24
NONE, TRIGRAM, ORACLE = "none", "trigram", "oracle"
MINING = (NONE, TRIGRAM, ORACLE)


def add_losses(report: Report, losses: Sequence[Losses]) -> None:
    """Add mean losses and their distribution, in natural units a word. Without mined foils there are none."""
    if not losses:
        return
    groups = {
        "original": np.array([loss.original for loss in losses]),
        "kept": np.array([loss.chosen for loss in losses]),
        "foils": np.concatenate([loss.foils for loss in losses]),
    }
    report.put({f"loss.{name}": float(values.mean()) for name, values in groups.items()})
    report.put({"foils_per_caption": float(np.mean([len(loss.foils) for loss in losses]))})
    every = np.concatenate(list(groups.values()))
    edges = np.linspace(every.min(), every.max(), BINS + 1)
    middles = (edges[:-1] + edges[1:]) / 2
    names = {"original": "right captions", "kept": "hardest foils, kept", "foils": "all foils"}
    lines = [
        ChartLine(names[name], middles.tolist(), (100 * np.histogram(values, edges)[0] / len(values)).tolist(), number)
        for number, (name, values) in enumerate(groups.items())
    ]
    title = "Loss of captions under the language model"
    axis = "mean negative log probability of a word"
    add_lines(report, "losses", title, lines, axis, "% of captions")


def generate(work: StepWork) -> Report:
    """Make foil captions. Raises InputError if no caption has a target, or none of them a foil."""
    source = _some(work, read_source(work))
    lexicon = _lexicon(work, source)
    pairs = pairs_of(lexicon)
    parts = split_pairs(pairs, work.rng("pairs"))
    images = assign_parts(list(source.captions), work.rng("images"))
    marked = marked_captions(work, source, lexicon)
    if not marked:
        raise InputError(
            "No caption has a target: a noun of the lexicon that stands in it once. Give captions in English, or a "
            "lexicon of their words as --lexicon."
        )
    maker = Maker(source, lexicon, parts, images, work.options["sampling"], _loss(work, source))
    made = maker.make(marked, work.rng("foils"))
    if not made.items:
        raise InputError(
            f"No caption has a foil (with a target: {len(marked):,}): the target must stand in two captions of "
            "the image, and another word of its super-category in none of them."
        )
    report = Report("FOIL: generated captions", len(made.items), "foil captions")
    report.put(
        {
            "words": len(lexicon.words),
            "pairs": len(pairs),
            "pairs.train": sum(part == TRAIN for part in parts.values()),
            "pairs.test": sum(part == TEST for part in parts.values()),
            "images": len(source.captions),
            "captions": sum(map(len, source.captions.values())),
            "captions_with_target": len(marked),
            "captions_with_salient_target": made.reached["salient"],
            "captions_with_foil": made.reached["with_foil"],
            "items": len(made.items),
            "pairs_used": len({item.pair for item in made.items}),
        }
    )
    _add_composition(report, made)
    _add_pairs(report, made, parts)
    report.table("splits", "Images by part", ["image", "part"], list(images.items()), on_page=False)
    add_losses(report, made.losses)
    _notes(report, work, source)
    report.files = {
        "items.jsonl": items_text(made.items),
        "captions.jsonl": captions_text(made.items),
        "lexicon.txt": lexicon.text(),
    }
    return report


def _some(work: StepWork, source: CaptionSource) -> CaptionSource:
    most = work.options["images"]
    if most is None or most >= len(source.captions):
        return source
    names = list(source.captions)
    chosen = sorted(int(number) for number in work.rng("some").permutation(len(names))[:most])
    return CaptionSource(
        {names[number]: source.captions[names[number]] for number in chosen}, source.categories, source.pictures
    )


def _lexicon(work: StepWork, source: CaptionSource) -> Lexicon:
    own = work.file("lexicon")
    if own is not None:
        return read_lexicon(own)
    if any(phrase.types for picture in source.pictures for caption in picture.captions for phrase in caption.phrases):
        return lexicon_of_export(source.pictures)
    return read_lexicon(COCO_WORDS)


def _loss(work: StepWork, source: CaptionSource) -> CaptionLoss | None:
    """Return the model that mines. Raises MissingExtra without torch, if it is the oracle."""
    if work.options["mining"] == ORACLE:
        # Torch takes seconds to import, and is not on every machine.
        from evaluation.foil.making.oracle_loss import oracle_loss

        return oracle_loss(work, source.captions)
    return _trigram(source) if work.options["mining"] == TRIGRAM else None


def _trigram(source: CaptionSource) -> Trigram:
    captions = (caption for texts in source.captions.values() for caption in texts)
    return Trigram([word for piece in pieces_of(caption) if (word := bare(piece))] for caption in captions)


def _add_composition(report: Report, made: MadeItems) -> None:
    rows: list[list[Cell]] = []
    for part in (TRAIN, TEST):
        own = [item for item in made.items if item.part == part]
        counts = (len(own), len({item.image for item in own}), 2 * len(own), len({item.pair for item in own}))
        report.put(dict(zip(("items", "images", "captions", "pairs_used"), counts, strict=True)), f"{part}.")
        rows.append([part, *counts, *COMPOSITION[part]])
    columns = ["part", "data points", "images", "captions", "pairs"]
    columns += [f"paper: {name}" for name in columns[1:]]
    report.table("composition", "Composition: an item is two captions, right and foil", columns, rows)
    words = Counter(item.super_category for item in made.items)
    names = sorted(words, key=lambda name: (-words[name], name))
    report.put({f"items.{name}": words[name] for name in names})
    series = {"items": [float(words[name]) for name in names]}
    add_bars(report, "super_categories", "Items by super-category", names, series, "items")


def _add_pairs(report: Report, made: MadeItems, parts: dict[tuple[str, str], str]) -> None:
    used = Counter(item.pair for item in made.items)
    rows: list[list[Cell]] = [[*pair, part, used[pair]] for pair, part in parts.items()]
    report.table("pairs", "Pairs", ["target", "foil", "part", "items"], rows, on_page=False)
    targets, foils = (Counter(item.pair[side] for item in made.items) for side in (0, 1))
    words = sorted(targets | foils, key=lambda word: (-targets[word] - foils[word], word))
    balance: list[list[Cell]] = [[word, targets[word], foils[word]] for word in words]
    report.table("words", "Words as target and as foil", ["word", "target", "foil"], balance)
    apart = np.array([abs(targets[word] - foils[word]) for word in words])
    report.put({"imbalance": float(100 * apart.sum() / (2 * len(made.items)))})


def _notes(report: Report, work: StepWork, source: CaptionSource) -> None:
    if not source.categories:
        report.notes.append("A foil is absent by the captions alone: no boxes of COCO's categories were given.")
    if work.options["mining"] != NONE:
        report.notes.append(
            "Of the foils that sampling leaves for a caption, the hardest is kept instead of a drawn one."
        )
    report.notes.append(
        "Pairs and images of the two parts are disjoint. “imbalance” is the share of words, in percent, that would "
        "have to change sides for every word to be as often foil as target; a model that sees no image gains by it."
    )
