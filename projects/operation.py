"""One declaration of a requester's operation, from which API call, command and form follow; and its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar, get_type_hints

from annotated_types import Ge, Le, Len
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StringConstraints,
)
from pydantic_core import CoreSchema

from accounts.may import Action, has_right, may, projects_for, roles_for
from accounts.models import RequesterToken, RightKind, Scope
from accounts.requester_tokens import opened_by
from annotation.archived import describe_archived, describe_archived_to_operators
from annotation.models import Project
from annotation.rules.plain_errors import one_of
from projects.models import Run
from runtime.words import counted

Step = TypeVar("Step")
LOOK_SECONDS = 0.5
"""The time between two looks at what is requested. Progress is written as often."""


class Stopped(Exception):
    """The work was paused or cancelled, or the project is gone."""

    def __init__(self, requested: str) -> None:
        super().__init__(requested)
        self.requested = requested


class CannotBeDone(Exception):
    """The work cannot be done as it was requested; the message says why."""


class Progress:
    """The progress of a run, in the process that does it."""

    def __init__(
        self, run: Run, check_right: Callable[[], object] | None, show: Callable[[Progress], object] = lambda _: None
    ) -> None:
        """`check_right` raises CannotBeDone; None: a command works by the right to run commands on the server. `show`
        is called with each step."""
        self.run, self.by_command = run, check_right is None
        self._check_right = check_right
        self.done = self.total = 0
        self.message = ""
        self.more: Callable[[], dict[str, Any]] = dict
        """Returns further values of the row, which are written with the progress."""
        self._show = show
        self._looked = float("-inf")

    def begin(self, total: int) -> None:
        """Note about how many steps there are."""
        self.total = total
        self.write()

    def advance(self, done: int, total: int, message: str = "") -> None:
        """Note how far the work is. Raises what `look` raises."""
        self.done, self.total, self.message = done, total, message or self.message
        self._show(self)
        self.look()

    def through(self, rows: Iterable[Step], total: int) -> Iterator[Step]:
        """Hand on rows of a source. When the next one is asked for, the one before was written."""
        self.begin(total)
        for row in rows:
            self.look()
            yield row
            self.done += 1

    def look(self) -> None:
        """Write the progress, and check, but no more than twice a second. Raises what `check` raises."""
        if (now := time.monotonic()) - self._looked >= LOOK_SECONDS:
            self._looked = now
            self.write()
            self.check()

    def write(self) -> None:
        """Write the progress into the row."""
        more = self.more()
        mine = Run.objects.filter(pk=self.run.pk)
        mine.update(done=self.done, total=max(self.total, self.done), message=self.message[:200], **more)

    def check(self) -> None:
        """Raise Stopped if that is requested, or CannotBeDone if the account may not do the work any more."""
        found = Run.objects.filter(pk=self.run.pk).values_list("requested", flat=True).first()
        if requested := Run.Request.CANCEL.value if found is None else found:
            raise Stopped(requested)
        if self._check_right:
            self._check_right()


LARGEST_ID = 2**63 - 1
MAX_ROWS = 1000
NEEDS_RIGHT = {RightKind.PROJECTS: "To make projects, an account needs the right to. Ask an administrator for it."}
Row = TypeVar("Row", bound=Model)
Where = TypeVar("Where", bound=Project | None)
In = TypeVar("In", bound="Input")
Out = TypeVar("Out", bound=BaseModel)


def _plain_schema(schema: dict[str, Any]) -> None:
    """Write a model's JSON Schema as OpenAPI 3.0 has it: without titles, and with `nullable` for None."""
    schema.pop("title", None)
    for name, field in schema.get("properties", {}).items():
        schema["properties"][name] = _plain_field(field)


def _plain_field(field: dict[str, Any]) -> dict[str, Any]:
    kinds = field.pop("anyOf", [])
    others = [kind for kind in kinds if kind != {"type": "null"}]
    if len(others) == 1 and "$ref" not in others[0]:
        field = {**others[0], **field}
    elif others:
        field["allOf" if len(others) == 1 else "anyOf"] = others
    if len(others) < len(kinds):
        field["nullable"] = True
    if "$ref" in field and len(field) > 1:
        field["allOf"] = [{"$ref": field.pop("$ref")}]  # what stands beside a $ref counts for nothing
    if "const" in field:
        field["enum"] = [field.pop("const")]
    field.pop("title", None)
    return field


class Input(BaseModel):
    """Values that an operation takes. The docstring of a field is its help, its title the label in a form."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, json_schema_extra=_plain_schema
    )


class NoInput(Input):
    """Nothing but the project."""


class RowsAfter(Input):
    """Rows of a long list, the oldest first."""

    after: Annotated[int, Ge(0), Le(LARGEST_ID)] = 0
    """The id of the last row that was read."""
    most: Annotated[int, Ge(1), Le(MAX_ROWS)] = 100

    def read(self, rows: QuerySet[Row]) -> tuple[list[Row], int | None]:
        """Return the rows that were asked for, and what to ask for the next ones with."""
        page = list(rows.filter(pk__gt=self.after).order_by("pk")[: self.most])
        return page, page[-1].pk if len(page) == self.most else None


@dataclass(frozen=True)
class Choice:
    """A text that is one of these."""

    choices: Collection[str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return one_of(self.choices).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(core), "enum": list(self.choices)}


class AsOption:
    """A value that is needed, and that a command takes as an option all the same."""


def _whole_cents(price: float) -> float:
    if abs(100 * price - round(100 * price)) > 1e-6:
        raise ValueError("give whole cents")
    return price


WholeCents = AfterValidator(_whole_cents)
Corners = Annotated[list[int], Len(4, 4)]
"""Left, top, right, bottom of a box in pixels, end exclusive."""
SomeText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text that is not empty."""


class AsArgument:
    """A value that may be left out, and that a command takes by its place all the same."""


@dataclass(frozen=True)
class MaxSize:
    """Most bytes of a file that comes by a page, and of one that a command reads."""

    page: int
    command: int


class SentFile(BaseModel):
    """A file that a page sends or a command reads. Programs send its rows."""

    model_config = ConfigDict(frozen=True)
    name: str
    data: bytes


class Output(BaseModel):
    """Values that an operation returns."""

    model_config = ConfigDict(
        frozen=True, use_attribute_docstrings=True, from_attributes=True, json_schema_extra=_plain_schema
    )


class Estimate(Output):
    value: float
    low: float
    """The lower end of the 90 % interval."""
    high: float
    """The upper end of the 90 % interval."""

    @property
    def numbers(self) -> tuple[float, float, float]:
        return self.value, self.low, self.high


class Acknowledgement(Output):
    """The result of an act that returns no other values."""

    sentence: str
    """The result as a sentence."""


class Refused(Exception):
    """The operation is not possible.

    `code`: one word for programs. `status`: of the API's response. `field`: of the input, where one is to blame.
    """

    def __init__(self, code: str, message: str, status: int = 409, *, field: str = "") -> None:
        super().__init__(message)
        self.code, self.status, self.field = code, status, field


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller: the user of a page or of a token, or whoever may run commands on the server (`user` is None)."""

    user: User | None
    name: str
    token: RequesterToken | None = None

    @property
    def runs_command(self) -> bool:
        return self.user is None

    def log(self, row: Model, words: str, flag: int = CHANGE) -> None:
        """Keep what a user did to a row in its history, which the admin pages show."""
        if self.user is not None:
            rows: Any = [row]  # the stubs take a QuerySet alone
            LogEntry.objects.log_actions(self.user.pk, rows, flag, words, single_object=True)


COMMAND_LINE = Caller(None, "command line")


def _nothing(*_: Any) -> None:
    pass


def _counted(run: Run) -> str:
    """Return how far a run is whose steps are images."""
    total = max(run.total, run.done)
    return f"{run.done:,} of {counted(total, 'image')}" if total else "Waiting for its turn"


@dataclass(frozen=True)
class Work:
    """Long work that an operation begins: `run` of the operation makes the row, by `projects.runs.start`."""

    do: Callable[[Run, Progress], BaseModel]
    """Does the work of a run, and tells its progress. Returns the result."""
    title: str
    """The work, as a list of runs names it."""
    lane: str
    """Of the runs of a project in one lane, one is open at a time."""
    page: str
    """The name of the address of the page that shows its runs."""
    queue: Literal["asked", "long"] = "long"
    """The queue of its job: what people wait for, or what takes long."""
    resumable: bool = False
    """It can be paused, and goes on where it stopped."""
    busy: str = "Another one is being made already: wait for it, or stop it."
    """The refusal while another run in the lane is open."""
    check: Callable[[Run, User], object] = _nothing
    """Raises CannotBeDone if this account may not do the work, besides the operation's action."""
    clean: Callable[[Run], object] = _nothing
    """Removes what a run left that was cancelled or failed."""
    counts: Callable[[Run], str] = _counted
    """Returns how far a run is, in words."""
    say: Callable[[Run], Iterable[str]] = lambda run: ()
    """Returns what came of the finished run, in sentences."""


@dataclass(frozen=True)
class Operation(Generic[Where, In, Out]):
    """An act or a reading of a requester. The docstring of `run` is its help."""

    name: str
    """The operationId of the API."""
    input: type[In]
    output: type[Out]
    run: Callable[[Where, In, Caller], Out]
    """Does it. Raises Refused."""
    surveys: bool
    """A survey has it, too."""
    only_surveys: bool = False
    """No other project has it."""
    path: str | None = None
    """Below projects/PROJECT/ of the API, or below its root for an operation without a project; None: not there."""
    method: str = "post"
    status: int = 200
    """Of the API's response."""
    refusals: tuple[int, ...] = ()
    """The statuses of refusals besides those that every call has."""
    command: str = ""
    """The name of a command of its own; empty: `manage.py operation NAME` does it."""
    of_project: bool = True
    """Off: it belongs to no project, and `run` gets None."""
    action: Action = Action.MANAGE
    right: RightKind | None = None
    """The right of the account that it needs, besides the role in a project."""
    needed_scope: Scope | None = None
    """The scope that a token needs; None: to read for a reading, to write for an act."""
    archived: bool = False
    """It works while the project's images are in an archive."""
    password: bool = False
    """Whoever does it by a page gives the password again, since money or rights move. A token needs none."""
    confirm: Callable[[Any, In], list[str]] | None = None
    """Returns what follows, in sentences, about which a page asks before it is done; empty: nothing to ask."""
    say: Callable[[Out], str] = lambda out: out.sentence if isinstance(out, Acknowledgement) else out.model_dump_json()
    """Returns the result as a sentence, for a page and a command."""
    alarm: Callable[[Out], str] = lambda out: ""
    """Returns why the command ends with exit status 1 after it has written the result; empty: it does not."""
    work: Work | None = None
    guide: str = ""
    """The page about it, as docs/reference/commands.md links to it."""

    @property
    def is_reading(self) -> bool:
        return self.method == "get" or self.needed_scope is Scope.READ

    @property
    def scope(self) -> Scope:
        return self.needed_scope or (Scope.READ if self.is_reading else Scope.WRITE)

    @property
    def help(self) -> str:
        return (self.run.__doc__ or "").strip()

    def __call__(self, project: Where, inputs: In, caller: Caller) -> Out:
        return self.run(project, inputs, caller)

    def find(self, name: str, caller: Caller) -> Project | None:
        """Return the project in which the caller may do this; None: it belongs to no project. Raises Refused."""
        found = None
        if self.of_project:
            kinds = {"surveys": self.surveys, "only_surveys": self.only_surveys, "archived": self.archived}
            found = find_project(name, caller, self.action, **kinds)
        if self.right and caller.user is not None and not has_right(caller.user, self.right):
            raise Refused("no_access", NEEDS_RIGHT[self.right], 403)
        return found


def operation(
    *, surveys: bool, **declared: Any
) -> Callable[[Callable[[Where, In, Caller], Out]], Operation[Where, In, Out]]:
    """Return a decorator that makes an operation of a function: its name, its input and its output are the function's.

    `declared`: other fields of Operation.
    """

    def decorated(run: Callable[[Where, In, Caller], Out]) -> Operation[Where, In, Out]:
        hints = list(get_type_hints(run).values())
        names = {"name": run.__name__, "input": hints[1], "output": hints[-1]}
        return Operation(**{**names, **declared}, run=run, surveys=surveys)

    return decorated


def find_project(
    name: str,
    caller: Caller,
    action: Action,
    *,
    surveys: bool = True,
    only_surveys: bool = False,
    archived: bool = False,
) -> Project:
    """Return the project in which the caller may do this.

    Raises Refused: to those who may not look at it, it does not exist. `surveys`: off, a survey has nothing of what is
    asked for; `only_surveys`: on, other projects have nothing of it. `archived`: on, it needs none of the project's
    images, which may be in an archive.
    """
    if caller.user is None:
        project = Project.objects.filter(name=name).first()
        if project is None:
            names = ", ".join(Project.objects.order_by("name").values_list("name", flat=True)) or "none yet"
            raise Refused("not_found", f"There is no project {name!r}. There are: {names}.", 404)
    else:
        project = opened_by(caller.token, projects_for(caller.user, Action.LOOK)).filter(name=name).first()
        if project is None:
            raise Refused("not_found", "There is no such project, or you are not a member of it.", 404)
        if not may(caller.user, action, project):
            roles = roles_for(action)
            raise Refused("no_access", f"You need the role {roles} in this project. Ask a requester of it.", 403)
    if project.away is not None and not archived:
        raise Refused(
            "not_found",
            describe_archived_to_operators(project) if caller.runs_command else describe_archived(project),
            404,
        )
    if project.survey and not surveys:
        message = "This project is a survey: it has no phrases, chains and boxes. Votes: survey_export or votes/."
        raise Refused("not_found", message, 404)
    if only_surveys and not project.survey:
        raise Refused("not_found", "This project is not a survey.", 404)
    return project


def find_row(rows: QuerySet[Row], number: int, what: str) -> Row:
    """Return the row with this number. Raises Refused, which says what there is not."""
    row = rows.filter(pk=number).first() if 0 <= number <= LARGEST_ID else None
    if row is None:
        raise Refused("not_found", f"There is no such {what} in this project.", 404)
    return row
