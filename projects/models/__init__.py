"""Tables of the requesters' pages. They import only the tables of the apps below."""

from projects.models.alerts import Alert, AlertChannel, Delivery
from projects.models.error_sample import ErrorSample
from projects.models.figures import Figures, Looked
from projects.models.gold import GoldAnnotation, GoldImage
from projects.models.imports import ImportProblem, ItemsFile, KnownUse, Upload, UploadedFile, UploadedPiece
from projects.models.life import StateChange
from projects.models.long_work import Run
from projects.models.programs import ModelPrediction

__all__ = [
    "Alert",
    "AlertChannel",
    "Delivery",
    "ErrorSample",
    "Figures",
    "GoldAnnotation",
    "GoldImage",
    "ImportProblem",
    "ItemsFile",
    "KnownUse",
    "Looked",
    "ModelPrediction",
    "Run",
    "StateChange",
    "Upload",
    "UploadedFile",
    "UploadedPiece",
]
