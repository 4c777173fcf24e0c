"""Kinds of files that people meet, each with the type of its rows and the reader that knows what no schema can say."""

from typing import Any, NamedTuple

from evaluation.content_selection.read_scenes import SceneLine
from evaluation.content_selection.sentences import SentenceLine
from evaluation.foil.human.votes import VoteLine
from evaluation.foil.item import CaptionRow, Item
from evaluation.foil.models.box_aware import DetectionLine
from evaluation.foil.models.predictions_file import PredictionLine as FoilPredictionLine
from evaluation.localization.proposals.proposals_file import ProposalLine
from evaluation.oracle.run_score import CaptionResult
from evaluation.oracle.run_visual import AtomVote
from evaluation.reading.predictions.coco_results import ResultRow, ResultsFile
from evaluation.reading.predictions.replies import ReplyLine
from evaluation.reading.predictions.rows import PredictionLine
from evaluation.write_report import ReportFile, SplitFile
from exchange.formats.captions_folder.caption_file import CaptionsLine
from exchange.formats.coco.rows import CaptionsFile, CocoFile, InstancesFile
from exchange.formats.grounding_rows import ChatLine, HubRow, MdetrFile, OdvgLine
from exchange.jsonl.rows import JsonlLine
from projects.archive.manifest import ArchiveManifest
from projects.corrected.change_rows import ChangeLine
from projects.gold.sheets import GoldLine
from projects.label_errors.doubt_rows import DoubtLine
from projects.label_errors.wrong_labels import WrongRow
from surveys.rules.items import AtomLine, CaptionLine
from surveys.votes import Vote

LINES, WHOLE = True, False
"""An object a line, or one value."""
OPEN, CLOSED = True, False
"""Fields that are not declared are passed over, or refused."""


class Kind(NamedTuple):
    """A kind of file."""

    name: str
    title: str
    row: Any
    """The type of each line, or of the whole file."""
    is_lines: bool = LINES
    passes_over: bool = CLOSED
    """Whether readers pass over fields that they do not know."""

    @property
    def unit(self) -> str:
        return (
            "Each line is a JSON object, in UTF-8." if self.is_lines else "The whole file is one JSON value, in UTF-8."
        )


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("jsonl", "The whole record of a project, as `export_dataset --format jsonl` writes it", JsonlLine),
        Kind("coco", "A data set of COCO's in one file, with phrases and chains", CocoFile, WHOLE, OPEN),
        Kind(
            "coco-captions", "captions.json of a folder of COCO's, with phrases and chains", CaptionsFile, WHOLE, OPEN
        ),
        Kind("coco-instances", "instances.json of a folder of COCO's, with chains", InstancesFile, WHOLE, OPEN),
        Kind("mdetr", "Captions with boxes, as MDETR, GLIP and mmdetection read them", MdetrFile, WHOLE, OPEN),
        Kind("odvg", "Captions with boxes, as the Grounding DINO family reads them", OdvgLine, LINES, OPEN),
        Kind("chat", "Conversations with boxes, as ms-swift reads them", ChatLine),
        Kind("hub", "metadata.jsonl of pictures, as `datasets` of Hugging Face reads it", HubRow, LINES, OPEN),
        Kind("captions", "captions.jsonl of pictures to import", CaptionsLine, LINES, OPEN),
        Kind("caption-check", "Items of a survey about captions", CaptionLine, LINES, OPEN),
        Kind("atom-visual", "Items of a survey about words, as `oracle atoms` writes them, too", AtomLine, LINES, OPEN),
        Kind("votes", "Votes of a survey, as `survey_export` writes them", Vote),
        Kind("gold", "Annotations to make known questions of", GoldLine, LINES, OPEN),
        Kind("doubts", "Labels of a checked data set, as `manage.py doubts` writes them", DoubtLine),
        Kind("wrong-labels", "Shares of wrong labels, as `wrong_labels --json` writes them", list[WrongRow], WHOLE),
        Kind("predictions", "Predictions of boxes and chains, or replies of models", PredictionLine | ReplyLine),
        Kind("changes", "What a check has changed of a data set's labels, as `changes` writes it", ChangeLine),
        Kind("archive", "manifest.json of an archive, as `archive_project` writes it", ArchiveManifest, WHOLE, OPEN),
        Kind("coco-results", "Predicted boxes as COCO's results", ResultsFile | list[ResultRow], WHOLE, OPEN),
        Kind("proposals", "Boxes in which phrases may be", ProposalLine, LINES, OPEN),
        Kind("foil-items", "items.jsonl of `foil generate`", Item, LINES, OPEN),
        Kind("foil-captions", "captions.jsonl of `foil generate`", CaptionRow),
        Kind("foil-predictions", "Answers of a model to FOIL's three tasks", FoilPredictionLine, LINES, OPEN),
        Kind("foil-votes", "Votes that `foil score` and `foil agreement` read", VoteLine, LINES, OPEN),
        Kind("atom-votes", "Votes that `oracle visual` reads", AtomVote, LINES, OPEN),
        Kind("detections", "Objects in images, for `foil score`", DetectionLine, LINES, OPEN),
        Kind("scenes", "Labelled boxes with descriptions, for `content_selection`", SceneLine, LINES, OPEN),
        Kind("sentences", "Chosen boxes, or sentences about them, for `content_selection`", SentenceLine, LINES, OPEN),
        Kind("caption-results", "Captions of a model, for `oracle score`", list[CaptionResult], WHOLE, OPEN),
        Kind("report", "report.json of an evaluation", ReportFile, WHOLE),
        Kind("split", "split.json of an evaluation", SplitFile, WHOLE),
    )
}
