"""Tables of the requesters' pages. They import only the tables of the apps below."""

from campaign.models.alerts import Alert, AlertChannel, Delivery
from campaign.models.error_sample import ErrorSample
from campaign.models.figures import Figures, Looked
from campaign.models.gold import GoldAnnotation, GoldImage
from campaign.models.imports import ImportProblem, ImportRun, ItemsFile, KnownUse, Upload, UploadedFile, UploadedPiece
from campaign.models.life import StateChange
from campaign.models.long_work import CampaignPrediction, Evaluation
from campaign.models.programs import ModelMeasurement, ModelPrediction

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
