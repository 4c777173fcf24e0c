"""Pages of the requesters' own rows: alerts, gold, imports, forecasts, evaluations, predictions."""

from accounts.may import Action
from backoffice.bases import ReadOnlyAdmin, read_only
from projects.models import (
    Alert,
    AlertChannel,
    Delivery,
    ErrorSample,
    Figures,
    GoldAnnotation,
    GoldImage,
    ImportProblem,
    ItemsFile,
    Looked,
    ModelPrediction,
    Run,
    StateChange,
    Upload,
    UploadedFile,
    UploadedPiece,
)

read_only(
    Alert,
    "id project kind words began_at settled_at",
    fields="project kind count words path began_at settled_at",
    filters="kind",
    search="project__name words",
    to_see=Action.MANAGE,
)

# Without the key that signs: it is shown once, when the webhook is made.
read_only(
    AlertChannel,
    "id project kind user url created_at",
    fields="project kind user url kinds created_at",
    filters="kind",
    search="project__name user__username url",
    to_see=Action.MANAGE,
)

read_only(
    Delivery,
    "id alert channel state tries due_at sent_at",
    fields="alert channel state tries due_at sent_at problem",
    filters="state",
    search="alert__project__name alert__words problem",
    related="channel__user",
    path="alert__project",
    to_see=Action.MANAGE,
)

read_only(
    ErrorSample,
    "id project seed made_by created_at",
    fields="project seed images tallies made_by created_at",
    search="project__name made_by",
)

read_only(
    Figures,
    "id project name computed_at seconds",
    fields="project name computed_at seconds values",
    filters="name",
    search="project__name name",
)

read_only(
    Looked,
    "project until user at",
    fields="project until user at",
    by_project=False,
    search="project__name user__username",
    order="project__name",
    base=ReadOnlyAdmin,
)


read_only(
    GoldImage,
    "image place annotators disputes settled_at added_at",
    fields="image place annotators disputes settled_at gives added_at",
    search="image__name",
    path="image__project",
    order="-image",
    to_see=Action.MANAGE,
)


read_only(
    GoldAnnotation,
    "id gold_image name settles begun_at finished_at",
    fields="gold_image user name settles chains revision begun_at finished_at",
    filters="settles",
    search="name gold_image__image__name",
    path="gold_image__image__project",
    to_see=Action.MANAGE,
)


read_only(
    Run,
    "id project operation state done total message user asked_at ended_at",
    fields=(
        "project user operation lane input state requested done total message problem asked_at begun_at ended_at result"
    ),
    filters="operation state",
    search="project__name user__username",
)

read_only(
    ImportProblem,
    "id run image file line message",
    fields="run image file line message",
    search="image file message",
    related="run__project",
    path="run__project",
)

read_only(
    Upload,
    "project files bytes touched_at",
    fields="project files bytes touched_at",
    search="project__name",
    order="project",
)

read_only(
    UploadedFile, "id project path received size", fields="project path received size", search="project__name path"
)

read_only(
    UploadedPiece,
    "id file at length name",
    fields="file at length name",
    search="file__path name",
    related="file__project",
    path="file__project",
)

read_only(
    ItemsFile,
    "project name items known source given_at",
    fields="project name items known seed source given_at",
    search="project__name name",
    order="project",
)

read_only(
    ModelPrediction,
    "id project program image due made_by created_at",
    fields="project program image boxes chains due made_by created_at",
    filters="due",
    search="project__name program__name image__name",
)

read_only(
    StateChange,
    "id project before after user at",
    fields="project before after user at",
    filters="after",
    search="project__name user__username",
)
