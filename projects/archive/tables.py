"""Tables of an archive: which rows leave the database with the images, and which are copied and stay.

Rows of images leave. Rows of people, money, settings and of the project's history stay: other projects, payments and
workers' own pages rely on them, and they are few. Parquet holds them in batches as columns.
"""

import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

from django.apps import apps
from django.db import connection
from django.db.models import Field, ForeignKey, JSONField, Model, Q, QuerySet, UUIDField

from annotation.models import Image, Project
from runtime.inside_django import driver_cursor
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


ROWS_PER_BATCH = 5_000
"""The rows that are in memory together."""
WIDE = {"pipeline.Progress": 200}
"""The same of a table whose rows have tens of kilobytes."""
TYPES = {
    "BooleanField": "bool_",
    "FloatField": "float64",
    "DateTimeField": "timestamp",
    "CharField": "string",
    "SlugField": "string",
    "TextField": "string",
    "JSONField": "string",
    "UUIDField": "string",
}
"""The type in Parquet of each kind of column; all others are whole numbers. JSON and UUIDs are text."""


def kind_of(field: "Field[Any, Any]") -> str:
    """Return the kind of the column, a key of `TYPES` or "integer"; a foreign key has that of what it points to."""
    while isinstance(field, ForeignKey):
        field = field.target_field
    name = field.get_internal_type()
    return name if name in TYPES else "integer"


def schema_of(table: Table) -> Any:
    """Return pyarrow's schema of the columns that are written."""
    import pyarrow as arrow

    def made(field: "Field[Any, Any]") -> Any:
        kind = kind_of(field)
        if kind == "DateTimeField":
            return arrow.timestamp("us", tz="UTC")
        return getattr(arrow, TYPES.get(kind, "int64"))()

    return arrow.schema([(field.column, made(field)) for field in table.fields])


def read_rows(table: Table, project: Project, piece: Piece | None) -> Iterator[Any]:
    """Yield the rows of the database as record batches of pyarrow, few enough for the memory."""
    import pyarrow as arrow

    schema = schema_of(table)
    columns = [field.attname for field in table.fields]
    texts = [isinstance(field, UUIDField) for field in table.fields]
    for rows in table.rows(project.pk, piece):
        sql, parameters = rows.values_list(*columns).query.sql_with_params()
        with connection.chunked_cursor() as cursor:
            cursor.execute(sql, parameters)
            while found := cursor.fetchmany(WIDE.get(table.label, ROWS_PER_BATCH)):
                values = [
                    [None if value is None else str(UUID(str(value))) for value in column] if is_text else column
                    for is_text, column in zip(texts, zip(*found, strict=True), strict=True)
                ]
                arrays = [arrow.array(value, field.type) for value, field in zip(values, schema, strict=True)]
                yield arrow.record_batch(arrays, schema)


def write_rows(table: Table, batch: Any) -> None:
    """Insert the rows, with their ids."""
    columns = ", ".join(f'"{name}"' for name in batch.schema.names)
    if connection.vendor == "postgresql":
        _copy_in(f"COPY {table.name} ({columns}) FROM STDIN WITH (FORMAT csv)", batch)
        return
    places = ", ".join(["%s"] * batch.num_columns)
    stored = [_as_stored(table, name, batch.column(name).to_pylist()) for name in batch.schema.names]
    with connection.cursor() as cursor:
        rows = list(zip(*stored, strict=True))
        cursor.executemany(f"INSERT INTO {table.name} ({columns}) VALUES ({places})", rows)


def _copy_in(statement: str, batch: Any) -> None:
    from pyarrow import csv

    lines = io.BytesIO()
    csv.write_csv(batch, lines, csv.WriteOptions(include_header=False))
    lines.seek(0)
    with driver_cursor() as cursor:
        cursor.copy_expert(statement, lines)


def _as_stored(table: Table, column: str, values: list[Any]) -> list[Any]:
    """Return the values of a column as SQLite holds them."""
    field = next(field for field in table.fields if field.column == column)
    if kind_of(field) == "DateTimeField":
        return [None if value is None else str(value.replace(tzinfo=None)) for value in values]
    if isinstance(field, UUIDField):
        return [None if value is None else UUID(value).hex for value in values]
    return values


def difference(table: Table, here: Iterator[Any], there: Iterator[Any]) -> str:
    """Compare batches of rows, and return where they begin to differ, in words; empty: they are equal."""
    for stored, other in _side_by_side(here, there):
        if stored is None or other is None:
            return f"the table {table.name} has another number of rows"
        for field in table.fields:
            mine, theirs = stored.column(field.column), other.column(field.column)
            if not mine.equals(theirs) and not (isinstance(field, JSONField) and _same_values(mine, theirs)):
                row = next(n for n in range(len(mine)) if mine[n] != theirs[n])
                return f"{table.name}.{field.column} of the row {stored.column(0)[row]}"
    return ""


def _side_by_side(here: Iterator[Any], there: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield batches of the same size from both; if one of them ends first, None in its place."""
    one, other = next(here, None), next(there, None)
    while one is not None and other is not None:
        size = min(one.num_rows, other.num_rows)
        yield one.slice(0, size), other.slice(0, size)
        one = one.slice(size) if size < one.num_rows else next(here, None)
        other = other.slice(size) if size < other.num_rows else next(there, None)
    if one is not other:
        yield one, other


def _same_values(first: Any, second: Any) -> bool:
    """Tell whether two columns of JSON say the same: the engines write spaces and the order of names otherwise."""

    def read(text: Any) -> Any:
        return text if text is None else json.loads(text)

    return all(read(a) == read(b) for a, b in zip(first.to_pylist(), second.to_pylist(), strict=True))
