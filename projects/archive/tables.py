"""Tables of an archive: which rows leave the database with the images, and which are copied and stay.

Rows of images leave. Rows of people, money, settings and of the project's history stay: other projects, payments and
workers' own pages rely on them, and they are few.
"""

from typing import Any, NamedTuple

from django.apps import apps
from django.db.models import Field, Model, Q, QuerySet

from annotation.models import Image
from workers.rules.trust_states import TrustEvent


class Piece(NamedTuple):
    """Images that are written, removed and brought back together: those with ids from `first` to `last`."""

    first: int
    last: int
    images: int


class Table(NamedTuple):
    """A table, and how its rows are found."""

    label: str
    images: tuple[str, ...] = ()
    """Look-ups from a row to its image; of a row only one of them leads there. Empty: a row of the project."""
    project: str = "project"
    """The look-up from a row to the project."""
    without: frozenset[str] = frozenset()
    """Columns that are not written."""
    only: Q = Q()  # nothing changes it

    @property
    def model(self) -> type[Model]:
        return apps.get_model(self.label)

    @property
    def name(self) -> str:
        """The name of the table, and of its folder in an archive."""
        return self.model._meta.db_table

    @property
    def fields(self) -> "list[Field[Any, Any]]":
        """The columns that are written."""
        return [field for field in self.model._meta.concrete_fields if field.column not in self.without]

    def rows(self, project_id: int, piece: Piece | None) -> list[QuerySet[Any]]:
        """Return selections of the rows, each in the order of ids: of the images of the piece, or of the project."""
        every = self.model._default_manager.order_by("pk").filter(self.only)
        if piece is None:
            return [every.filter(**{self.project: project_id})]
        images = Image.objects.filter(project=project_id, pk__range=(piece.first, piece.last)).order_by()
        return [every.filter(**{f"{path}__in": images.values("pk")}) for path in self.images]


OF_IMAGES = (
    Table("annotation.Image", ("pk",)),
    Table("annotation.Caption", ("image",)),
    Table("annotation.Chain", ("image",)),
    Table("annotation.Mention", ("image",)),
    Table("annotation.Box", ("image",)),
    Table("annotation.MergedBox", ("image",)),
    Table("annotation.KnownBox", ("image",)),
    Table("annotation.Gold", ("image",)),
    Table("projects.GoldImage", ("image",)),
    Table("projects.GoldAnnotation", ("gold_image__image",)),
    Table("projects.ModelPrediction", ("image",)),
    Table("pipeline.KnownQuestion", ("image",)),
    Table("pipeline.Question", ("image",)),
    Table("pipeline.Judgment", ("question__image", "known__image")),
    Table("pipeline.Skip", ("question__image",)),
    Table("pipeline.Progress", ("image",)),
    Table("pipeline.Entry", ("image",)),
    Table("pipeline.Transition", ("image",)),
    Table("pipeline.LabelDoubt", ("image",)),
)
"""Tables whose rows leave, in an order in which they can come back: what a row points to before the row."""

OF_PROJECT = (
    Table("pipeline.Learned"),
    Table("pipeline.SettingsVersion"),
    Table("projects.StateChange"),
    Table("projects.ErrorSample"),
    Table("projects.Alert"),
    Table("projects.Run"),
    Table("projects.ImportProblem", project="run__project"),
    Table("projects.ItemsFile"),
    Table("workers.Access"),
    Table("workers.TrustStatus"),
    # A worker who is forgotten takes the words of an appeal along: they are in the database alone.
    Table("workers.TrustChange", only=~Q(event=TrustEvent.APPEAL.value)),
    Table("workers.WorkerSignal"),
    Table("workers.SkillEstimate"),
    Table("platforms.Recruitment"),
    Table("platforms.Offer"),
    Table("platforms.Session", project="offer__project"),
    Table("platforms.Payment", project="session__offer__project"),
    Table("platforms.Screening"),
    Table("pipeline.Assignment", without=frozenset({"draft"})),
    Table("pipeline.LedgerEntry"),
    Table("pipeline.Spending"),
)
"""Tables whose rows are written, too, and stay, in such an order."""

left_out = {
    "projects.AlertChannel": "holds keys that sign",
    "projects.Delivery": "goes with its channel",
    "projects.Figures": "follows from the record",
    "projects.Looked": "says who looked at the review when",
    "projects.Upload": "counts files that are being uploaded",
    "projects.UploadedFile": "tells of files that are being uploaded",
    "projects.UploadedPiece": "tells of files that are being uploaded",
    "exchange.Selection": "lasts for a week",
    "accounts.Membership": "is in the manifest, by name",
    "accounts.BorrowedPictures": "says whose pictures a survey shows, which other projects rely on",
    "accounts.MemberInvitation": "holds a code that opens the project",
    "accounts.RequesterToken": "holds a key's digest",
    "accounts.Right": "belongs to an account",
    "labelling.Conversation": "is what people wrote to each other",
    "labelling.Post": "is what people wrote to each other",
    "workers.Invitation": "holds a code that opens the project",
    "workers.Message": "is what people wrote to each other",
}
"""Tables of a project that stay in the database alone, each with the reason."""
