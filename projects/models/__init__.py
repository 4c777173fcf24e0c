"""Tables of the requesters' pages. They import only the tables of the apps below."""

from projects.models.alerts import Alert, AlertChannel, Delivery
from projects.models.error_sample import ErrorSample
from projects.models.figures import Figures, Looked
from projects.models.gold import GoldAnnotation, GoldImage
from projects.models.imports import ImportProblem, ImportRun, ItemsFile, KnownUse, Upload, UploadedFile, UploadedPiece
from projects.models.life import StateChange
from projects.models.long_work import CampaignPrediction, Evaluation
from projects.models.programs import ModelMeasurement, ModelPrediction

__all__ = [
    "Alert",
    "AlertChannel",
    "CampaignPrediction",
    "Delivery",
    "ErrorSample",
    "Evaluation",
    "Figures",
    "GoldAnnotation",
    "GoldImage",
    "ImportProblem",
    "ImportRun",
    "ItemsFile",
    "KnownUse",
    "Looked",
    "ModelMeasurement",
    "ModelPrediction",
    "StateChange",
    "Upload",
    "UploadedFile",
    "UploadedPiece",
]
