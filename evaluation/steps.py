"""Steps: the commands of each system, with their options and functions; from their inputs to their written report."""

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluation.bootstrap import DRAWS
from evaluation.content_selection.scenes import NAMES
from evaluation.errors import InputError
from evaluation.foil.making.generate import MINING, NONE
from evaluation.foil.making.make_items import FREQUENCY, SAMPLING
from evaluation.localization.embedding.cca import RIDGE
from evaluation.localization.embedding.embedding_step import REGIONS
from evaluation.localization.proposals import METHODS
from evaluation.localization.queries import EDGES, PROTOCOLS
from evaluation.localization.score import FILES
from evaluation.reading.predictions.rows import FORMS
from evaluation.report import Report
from evaluation.retrieval import ALPHA, GAMMA
from evaluation.work import PartialResults, Progress, StepWork, digest_of
from evaluation.write_report import ReportFile, check_target, write_report


@dataclass(frozen=True, slots=True)
class StepOption:
    """An option of a step, `--name`."""

    name: str
    words: str
    """The help, such as "file of predictions"."""
    kind: Callable[[str], Any] = str
    """Makes the value of a text. Path: a file or a folder; its digest goes into the report. bool: it takes no value."""
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    """The least number that is taken."""

    @property
    def flag(self) -> str:
        """The option as people type it."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_file(self) -> bool:
        """Whether it names a file or a folder."""
        return self.kind is Path

    def check(self, value: Any) -> None:
        """Raise InputError for a file that does not exist, for a number that is too small, and for a missing value."""
        if value is None:
            if self.required:
                raise InputError(f"{self.flag} is missing: {self.words}.")
        elif self.is_file and not Path(value).exists():
            raise InputError(f"{self.flag}: {value} does not exist.")
        elif self.least is not None and value < self.least:
            raise InputError(f"{self.flag} is {value}: give a whole number from {self.least}.")


@dataclass(frozen=True, slots=True)
class EvaluationStep:
    """A command of a system."""

    system: str
    name: str
    words: str
    """The help: one sentence without a full stop."""
    function: str
    """The place below `evaluation` of a function that takes StepWork and returns Report, "system.module:function". It
    is loaded late, so that a step loads only the packages that it needs."""
    options: tuple[StepOption, ...]
    needs_data: bool
    """Whether `--data` is required."""

    def run(self, work: StepWork) -> Report:
        """Carry the step out. Raises InputError for input that cannot be used."""
        module, _, name = self.function.partition(":")
        function: Callable[[StepWork], Report] = getattr(import_module(f"evaluation.{module}"), name)
        return function(work)

    def settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the options that are not files, by name."""
        return {option.name: options[option.name] for option in self.options if not option.is_file}


FIT = StepOption("fit", "export to count concepts on; without it, each half of the data by the other", Path)
PICTURES = StepOption("pictures", "folder of the photographs; without it images/ of the export", Path)
WORD_VECTORS = (
    StepOption("vectors", "word vectors in word2vec's format; without, they are trained on the captions", Path),
    StepOption("word_size", "dimensions of trained word vectors", int, 100),
)
LEXICON = StepOption("lexicon", "words by super-category; without it COCO's, or those of an export's phrases", Path)
LEAST_VOTES = StepOption("least", "votes that a caption needs to count: others are undecided", int, 3, least=1)
ITEMS = StepOption("items", "items.jsonl of “foil generate”", Path, required=True)
OF_REGIONS = (
    StepOption("proposals", "the regions of each image, as JSON lines", Path),
    StepOption("method", "how regions are found; without: edge_boxes with photographs, else gold", choices=METHODS),
    StepOption("most", "regions of an image at most", int, 200, least=1),
)
OF_EMBEDDING = (
    StepOption("fit", "an export to fit on; without it one half of the images is fitted on, the other scored", Path),
    PICTURES,
    *OF_REGIONS,
    StepOption("features", "features of regions of a network, as .npz", Path),
    StepOption("captions", "captions to train word vectors on, in Flickr30k's token format", Path),
    *WORD_VECTORS,
    StepOption("components", "centres of the codebook; the paper has 30", int, 10),
    StepOption("outputs", "dimensions of the shared space, at most; the paper has 4096", int, 4096),
    StepOption("ridge", "ridge of the CCA, as a share of the mean variance", float, RIDGE),
    StepOption("exemplars", "regions of each phrase to learn from, at most", int, REGIONS),
)
OF_CUES = (
    *OF_EMBEDDING,
    StepOption("detectors", "softmax scores of detectors for the regions, as .npz", Path),
    StepOption("detector_words", "the head nouns of each detector's class, in place of ours for PASCAL", Path),
    StepOption("colors", "softmax scores of the eleven colours for the regions, as .npz", Path),
    StepOption("paper_weights", "take the paper's weights of size instead of fitting them", bool, False),
)
CAPTIONS = StepOption(
    "captions", "captions: Flickr30k's token file, COCO's captions JSON, or an export; else those of --data", Path
)
TOP = StepOption("top", "atoms of each category that workers are asked about, the commonest", int, 150, least=1)


def _step(name: str, words: str, function: str, *options: StepOption, needs_data: bool = False) -> EvaluationStep:
    system, _, own_name = name.partition(" ")
    return EvaluationStep(system, own_name, words, function, options, needs_data)


STEPS = (
    _step(
        "content_selection baselines",
        "score the choice of boxes by size, position and words, beside people's and chance",
        "content_selection.run:run_baselines",
        FIT,
        StepOption(
            "ties", "decide between equal boxes by their ids or at random", default="id", choices=("id", "random")
        ),
        StepOption("draws", "random draws of the chance baseline", int, 200, least=2),
        needs_data=True,
    ),
    _step(
        "content_selection generate",
        "write a sentence an image with the boxes that a baseline chooses",
        "content_selection.run:run_generate",
        FIT,
        StepOption("baseline", "order of the boxes", default="bigram+size", choices=("random", *NAMES)),
        StepOption("k", "boxes of a sentence at most", int, 3, least=1),
        StepOption("function_words", "words between the boxes, one a line", Path),
        needs_data=True,
    ),
    _step(
        "content_selection score",
        "score sentences or chosen boxes of another system",
        "content_selection.run:score_sentences",
        StepOption("predictions", "sentences or chosen boxes, an image a line", Path, required=True),
        needs_data=True,
    ),
    _step(
        "coreference score",
        "score chains of mentions against others by the metrics of coreference papers",
        "coreference:score_coreference",
        StepOption("gold", "export whose chains are right: folder, archive or .jsonl", Path, required=True),
        StepOption("response", "export whose chains are scored", Path, required=True),
        StepOption("against", "export whose chains are scored as well, to compare", Path),
        StepOption("gold_worker", "worker whose links are gold, as a .jsonl export names them"),
        StepOption("response_worker", "worker whose links are scored"),
        StepOption("against_worker", "worker whose links are compared"),
        StepOption("draws", "resamples of the images", int, DRAWS, least=1),
    ),
    _step(
        "dataset compare",
        "compare two versions of a data set: chains, phrases, boxes, flags and types that changed",
        "dataset.compare:compare",
        StepOption("before", "the earlier version: an export in any format but chat", Path, required=True),
        StepOption("after", "the later version, in the same or another format", Path, required=True),
        PICTURES,
        StepOption("drawn", "pictures of the largest changes, at most", int, 24),
        StepOption("tolerance", "pixels by which an edge may differ in a box that is the same", float, 0.0),
    ),
    _step(
        "foil generate",
        "write captions with one wrong word, by the words of COCO or of an export",
        "foil.making.generate:generate",
        StepOption("captions", "token file (or .gz) or COCO captions; or give an export as --data", Path),
        StepOption("instances", "COCO instances of the same images: a foil is none of their boxes", Path),
        LEXICON,
        StepOption(
            "sampling", "draw foils as often as they are targets, or alike", default=FREQUENCY, choices=SAMPLING
        ),
        StepOption("mining", "keep the hardest foil by this language model", default=NONE, choices=MINING),
        StepOption("images", "images to use at most, drawn by the seed", int, least=1),
    ),
    _step(
        "foil score",
        "score chance, models and people at telling, finding and mending the wrong word",
        "foil.tasks:score_models",
        ITEMS,
        StepOption("predictions", "answers of a model, a caption a line", Path),
        StepOption("name", "the name of that model", default="predictions"),
        StepOption("votes", "votes of a survey, for the rows of people", Path),
        LEAST_VOTES,
        StepOption("instances", "COCO instances, for the model that knows the boxes", Path),
        StepOption("detections", "categories of a detector, an image a line, for the same model", Path),
        LEXICON,
        StepOption("part", "items to score", default="test", choices=("test", "train", "all")),
    ),
    _step(
        "foil agreement",
        "count the captions that people judge rightly by majority and all together",
        "foil.human:agreement",
        StepOption("votes", "votes of a survey: item, worker, answer, right", Path, required=True),
        LEAST_VOTES,
        StepOption("items", "items.jsonl, for the wrong words", Path),
        LEXICON,
    ),
    _step(
        "foil blind",
        "tell foils without the image, in folds by pair and by image: how much the words alone betray",
        "foil.tasks:run_blind",
        ITEMS,
        StepOption("against", "other items, such as those of --sampling uniform", Path),
        LEXICON,
        StepOption("folds", "parts that are scored in turn", int, 5, least=2),
    ),
    _step(
        "localization baselines",
        "score boxes that need no model: one box around all, the largest, all by size",
        "localization.score:baselines",
        needs_data=True,
    ),
    _step(
        "localization score",
        "score the boxes that a model predicts for phrases",
        "localization.score:score_localization",
        StepOption("predictions", "the predicted boxes", Path, required=True),
        StepOption("against", "another model's boxes, for the paired difference", Path),
        StepOption("form", "kind of the files; without it by their names: .json is coco", choices=FILES),
        StepOption("names", "COCO file of the data, whose ids of images and categories the files use", Path),
        StepOption("boxes", "form of the boxes; without it xyxy for jsonl, xywh for coco", choices=FORMS),
        StepOption("clip", "cut boxes at the edge of the picture instead of refusing them", bool, False),
        StepOption("protocol", "the box to hit of a phrase with several", default="merged", choices=PROTOCOLS),
        StepOption("edges", "edges of gold boxes: of pixels, or as files print them", default="pixels", choices=EDGES),
        StepOption("nms", "drop boxes that overlap a better one by more than this; the paper's is 0.5", float),
        StepOption("draws", "resamples for the intervals", int, DRAWS, least=1),
        StepOption("least", "occurrences that a phrase needs to be among the hardest", int, 5, least=1),
        needs_data=True,
    ),
    _step(
        "localization embedding",
        "find phrases by their distance to regions in a shared space (CCA)",
        "localization.embedding.embedding_step:embedding",
        *OF_EMBEDDING,
        needs_data=True,
    ),
    _step(
        "localization cues",
        "find phrases by the shared space with detectors, size and colour",
        "localization.cues:cues",
        *OF_CUES,
        needs_data=True,
    ),
    _step(
        "localization proposals",
        "find regions in photographs, and score them on gold boxes",
        "localization.proposals:proposals",
        PICTURES,
        *OF_REGIONS,
        needs_data=True,
    ),
    _step(
        "oracle atoms",
        "count the entities, actions and attributes of captions",
        "oracle.atoms:run_atoms",
        CAPTIONS,
        TOP,
    ),
    _step(
        "oracle curves",
        "train language models that know the atoms of an image, and score their captions",
        "oracle.run_curves:run_curves",
        CAPTIONS,
        StepOption("points", "atoms to know, such as NA,ALL:50,ENT:200", required=True),
        StepOption("accuracy", "shares of right atoms, such as 1,0.7", default="1"),
        StepOption("accuracy_at", "points that are also tried with less accuracy; without it, all ALL:k"),
        StepOption("images", "images to train on", int, 6000, least=1),
        StepOption("validation", "images to stop by; without it, a sixth of --images, 1,000 at most", int, least=1),
        StepOption("test", "images to score; without it, a sixth of --images, 1,000 at most", int, least=1),
        StepOption("epochs", "epochs at most", int, 5, least=1),
        StepOption(
            "atoms",
            "atoms of all captions of an image, or of each caption",
            default="image",
            choices=("image", "caption"),
        ),
        StepOption("phi", "what is read of several atoms", default="sum", choices=("sum", "mean")),
        StepOption("optimizer", "way of training", default="adam", choices=("adam", "adadelta")),
        StepOption("only_visual", "votes on atoms: those not called visual are left out", Path),
        StepOption("threads", "threads of a training; another number may round otherwise", int, 1, least=1),
        StepOption(
            "device",
            "where to train; equal bits are promised on cpu alone",
            default="cpu",
            choices=("cpu", "cuda", "mps", "auto"),
        ),
        StepOption("processes", "points that are trained at a time", int, 1, least=1),
    ),
    _step(
        "oracle score",
        "score captions by BLEU, METEOR, ROUGE-L and CIDEr",
        "oracle.score:run_score",
        StepOption("hypotheses", "captions of a system: COCO's results JSON", Path, required=True),
        StepOption("references", "captions of the same images, as --captions of atoms", Path, required=True),
    ),
    _step(
        "oracle visual",
        "tally votes on whether atoms can be seen in a picture",
        "oracle.atoms:run_visual",
        CAPTIONS,
        StepOption("votes", "votes of the survey atom_visual, one a line", Path, required=True),
        TOP,
    ),
    _step(
        "oracle worth",
        "tell how many known atoms a system's scores are worth",
        "oracle.score:run_worth",
        StepOption("curves", "report.json of oracle curves", Path, required=True),
        StepOption("result", "report.json of oracle score", Path, required=True),
    ),
    _step(
        "retrieval scenes",
        "find the scenes of captions and the captions of scenes, without pixels",
        "retrieval:scenes",
        StepOption("captions", "captions to train on: Flickr30k's tokens, or COCO's", Path, required=True),
        *WORD_VECTORS,
        StepOption("train", "images to train on", int, 6000, least=1),
        StepOption("validation", "images on which the ridge is chosen", int, 500, least=1),
        StepOption("held_out", "images of the file of captions to score on", int, 1000, least=1),
        StepOption("components", "centres of the codebook", int, 10),
        StepOption("atoms", "words that make a scene, the commonest", int, 800),
        StepOption("outputs", "dimensions of the shared space", int, 512),
        needs_data=True,
    ),
    _step(
        "retrieval sentences",
        "find images by sentences and sentences by images, with regions and phrases",
        "retrieval:sentences",
        *OF_CUES,
        StepOption("alpha", "weight of the whole image", float, ALPHA),
        StepOption("gamma", "power of the number of phrases", float, GAMMA),
        needs_data=True,
    ),
)
"""All steps, those of a system together."""


def step_named(name: str) -> EvaluationStep:
    """Return the step of a name such as "foil score". Raises KeyError for an unknown one."""
    return {f"{step.system} {step.name}": step for step in STEPS}[name]


def by_system() -> Iterator[tuple[str, list[EvaluationStep]]]:
    """Yield the steps of each system."""
    for system in dict.fromkeys(step.system for step in STEPS):
        yield system, [step for step in STEPS if step.system == system]


PACKAGES_USED = (
    *("numpy", "scipy", "matplotlib", "scikit-learn", "lemminflect", "spacy", "opencv-contrib-python-headless"),
    *("gensim", "pycocoevalcap", "torch"),
)
FORMAT = 1
"""The number of the report's form and of the decisions behind its figures. It goes up when either changes."""


def versions() -> dict[str, str]:
    """Return the versions of Python, of the form of reports, and of the packages that are installed."""
    found = {"python": platform.python_version(), "evaluation": str(FORMAT)}
    for package in PACKAGES_USED:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def run_step(
    step: EvaluationStep,
    *,
    data: Path | None,
    out: Path,
    options: Mapping[str, Any],
    seed: int = 0,
    charts: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Run the step, write its report into `out`, and return it.

    Without `charts` the report has none, and needs no matplotlib. `progress` hears of the progress; None: a bar on the
    terminal. Raises InputError, and then writes nothing.
    """
    if seed < 0:
        raise InputError(f"The seed is {seed}: give a whole number from 0.")
    out = out.absolute()
    check_target(out)
    if data is not None and not data.exists():
        raise InputError(f"--data: {data} does not exist.")
    values = {option.name: option.default for option in step.options} | dict(options)
    for option in step.options:
        option.check(values[option.name])
    kept = PartialResults(out.with_name(f".{out.name}.kept"))
    work = StepWork(data=data, options=values, seed=seed, partial_results=kept, progress_shown=progress)
    if data is not None:
        work.inputs["data"] = digest_of(data)
    report = step.run(work)
    if not charts:
        report.charts.clear()
    result: ReportFile = {
        "figures": report.figures,
        "n": report.n,
        "seed": seed,
        "settings": {"step": f"{step.system} {step.name}", **step.settings(work.options), **report.settings},
        "versions": versions(),
        "inputs": work.inputs,
    }
    write_report(report, result, out)
    kept.forget()
    return report
