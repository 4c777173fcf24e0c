"""Versions of a project's protocol settings. A version is never edited, so that old entries can be folded again."""

import json
from collections.abc import Iterable
from dataclasses import fields
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.urls import get_urlconf

from annotation.archived import describe_archived_to_operators
from annotation.models import Project
from annotation.rules.states import ProjectState, Survey
from belief.learned import LearnedState
from pipeline.models import Learned as LearnedRow
from pipeline.models import Origin, SettingsVersion
from pipeline.settings.guide import changes_images
from pipeline.settings.settings import Settings, begun_from
from runtime.database import PreparedQuery, Slot
from runtime.routes import routes

CACHED_STATES = 128
"""The states that a process keeps: some are hundreds of kilobytes of text."""
NOTHING = LearnedState()


@lru_cache(maxsize=CACHED_STATES)
def learned_of(key: str | None) -> LearnedState:
    """Return a learned state. Kept by its key, which no other row ever has. None: nothing is learned."""
    return LearnedState.from_json(learned_values(key)) if key else NOTHING


def learned_values(key: str | None) -> dict[str, Any]:
    """Return the values of a learned state by name, as they are stored."""
    return LearnedRow.objects.values_list("values", flat=True).get(key=key) if key else {}


def given_in(state: LearnedRow | None) -> LearnedState:
    """Return what people gave of a state: the state that it was fitted from, or the state itself."""
    if state is None or (state.origin == Origin.REFIT and state.base_id is None):
        return NOTHING
    return learned_of(state.base_id or state.key)


def refitted(project_id: int, now: LearnedRow | None, learned: LearnedState) -> LearnedRow:
    """Store what a refit has learned in place of `now`."""
    base = now if now is None or now.origin != Origin.REFIT else now.base
    return _stored(project_id, learned, Origin.REFIT, base)


def given(project_id: int, now: LearnedRow | None, learned: LearnedState, origin: Origin) -> LearnedRow | None:
    """Return the state with these values in force, some of which somebody gave in place of those of `now`.

    A prior that a refit learned, here or in another project, is nothing that was given: a refit that pulled towards it
    would count the same answers once more. `origin`: of the state if it is new.
    """
    before = learned_of(None if now is None else now.key)
    if learned == before:
        return now
    kept = given_in(now)
    own = LearnedState(**{part.name: _given_part(part.name, learned, before, kept) for part in fields(LearnedState)})
    base = now.base if now is not None and now.origin == Origin.REFIT else now
    if own != kept:
        base = None if own == NOTHING else _stored(project_id, own, origin, None)
    return base if learned == own else _stored(project_id, learned, Origin.REFIT, base)


def _given_part(name: str, learned: LearnedState, before: LearnedState, learned_state: LearnedState) -> Any:
    """Return a part of what is given now: that of `learned_state` where nobody changes it, or a refit learned it."""
    part = getattr(learned, name)
    stays = part == getattr(before, name) or bool(getattr(part, "refitted_on", 0))
    return getattr(learned_state if stays else learned, name)


def _stored(project_id: int, learned: LearnedState, origin: Origin, base: LearnedRow | None) -> LearnedRow:
    return LearnedRow.objects.create(project_id=project_id, values=learned.to_json(), origin=origin, base=base)


OF_PROJECTS = ("{name}", "{project}")
"""The parts of routes where the name of a project stands."""


def is_address(name: str) -> bool:
    """Tell whether the service has pages at this name: at its top, or beside those of projects."""
    return name in _addresses(get_urlconf() or settings.ROOT_URLCONF)


def addresses_in(paths: Iterable[str]) -> frozenset[str]:
    """Return the first parts of these routes, and the parts that stand where other routes have a project's name."""
    parts = [path.strip("/").split("/") for path in paths]
    places = {tuple(path[:place]) for path in parts for place, part in enumerate(path) if part in OF_PROJECTS}
    found = {part[place] for part in parts for place in range(len(part)) if not place or tuple(part[:place]) in places}
    return frozenset(part for part in found if part and "{" not in part)


@lru_cache(maxsize=2)
def _addresses(configuration: str) -> frozenset[str]:
    return addresses_in(path for path, _ in routes())


AS_TEXT = Cast("values", TextField())
"""The values of a version as the text that `read_version` takes."""
CHECKED = Cast(KT("values__reference_set"), BigIntegerField())
NEWEST: PreparedQuery[tuple[int, str, str | None]] = PreparedQuery(
    lambda: (
        SettingsVersion.objects.filter(project_id=Slot("project"))
        .order_by("-version")
        .values_list("version", AS_TEXT, "learned_id")[:1]
    )
)


def current_settings(project_id: int) -> tuple[int, Settings]:
    """Return the number and the values of the newest version; every project has one from its first day."""
    for version, values, learned in NEWEST.run(project=project_id):
        return version, read_version(values, learned)
    raise SettingsVersion.DoesNotExist(f"There is no project {project_id}.")


def checked_source(project_id: int) -> int:
    """Return the number of the program that stands for the data set that a project checks; 0: it checks none."""
    newest = SettingsVersion.objects.filter(project_id=project_id).order_by("-version")
    return next(iter(newest.values_list(CHECKED, flat=True)[:1]), 0) or 0


def with_checked(projects: QuerySet[Project]) -> QuerySet[Project]:
    """Return the projects with what `is_checking` asks for, read by the same statement."""
    return projects.annotate(checks=checked_of("pk"))


def checked_of(project: str) -> Subquery:
    """Return what `checked_source` returns, as a column. `project`: the outer column with the project's id."""
    newest = SettingsVersion.objects.filter(project=OuterRef(project)).order_by("-version")
    return Subquery(newest.values_list(CHECKED)[:1])


def is_checking(project: Project) -> bool:
    """Return whether the project checks a data set."""
    return bool(project.checks if hasattr(project, "checks") else checked_source(project.pk))


def hold_settings(project_id: int) -> tuple[int, Settings]:
    """Return what `current_settings` does, and let nobody else change it before this transaction ends."""
    Project.objects.select_for_update().get(id=project_id)
    return current_settings(project_id)


@lru_cache(maxsize=64)
def read_version(text: str, learned: str | None = None) -> Settings:
    """Read settings from JSON text. `learned`: the key of the learned state; without one, nothing is learned.

    Cached: every lease and fold reads settings that hardly ever change. Versions with one text and one state share an
    object.
    """
    return Settings(**json.loads(text), learned=learned_of(learned))


def all_settings(project_id: int) -> dict[int, Settings]:
    """Return the settings of a project by version number."""
    versions = SettingsVersion.objects.filter(project_id=project_id)
    return {number: read_version(*row) for number, *row in versions.values_list("version", AS_TEXT, "learned")}


def chosen_versions(project_id: int) -> dict[int, Settings]:
    """Return what people chose, without what refits learned, by the number of each version that they made."""
    rows = SettingsVersion.objects.filter(project_id=project_id, learned_from=None).order_by("version")
    return {
        row.version: Settings(**row.values, learned=given_in(row.learned)) for row in rows.select_related("learned")
    }


def newest_chosen(project_id: int) -> tuple[int, Settings]:
    """Return what people chose last, with the number of that version."""
    return list(chosen_versions(project_id).items())[-1]


def newest_version(project_id: int) -> SettingsVersion:
    """Return the row of the newest version, with its learned state."""
    versions = SettingsVersion.objects.filter(project_id=project_id).select_related("learned")
    return versions.order_by("-version")[0]


class NameTakenError(ValueError):
    """There is a project of this name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is a project {name!r} already: choose another name.")


class NameIsAddressError(NameTakenError):
    """The service has pages of its own at this name."""

    def __init__(self, name: str) -> None:
        ValueError.__init__(self, f"{name!r} is an address of the service itself: choose another name.")


class ArchivedImagesError(NameTakenError):
    """The images of the project of this name are in an archive."""

    def __init__(self, project: Project) -> None:
        ValueError.__init__(self, describe_archived_to_operators(project))


@transaction.atomic
def make_project(
    *,
    name: str,
    settings: Settings | None = None,
    title: str = "",
    state: ProjectState = ProjectState.RUNNING,
    survey: Survey | None = None,
) -> Project:
    """Make a project with these settings, or with the paper's. Of several who make one name at once, one does.

    Raises NameTakenError, and ValidationError for a name or a title that does not fit: SQLite would take it, PostgreSQL
    would not.
    """
    if is_address(name):
        raise NameIsAddressError(name)
    project = Project(name=name, title=title, state=state.value, survey=survey.value if survey else "")
    project.clean_fields()
    try:
        with transaction.atomic():
            project.save(force_insert=True)
    except IntegrityError as error:
        raise NameTakenError(name) from error
    first = settings or Settings()
    learned = given(project.pk, None, first.learned, Origin.GIVEN)
    row = SettingsVersion(project=project, version=1, values=first.chosen(), learned=learned, reason="project made")
    row.save()
    return project


def open_project(
    *,
    name: str,
    settings: Settings | None = None,
    title: str = "",
    state: ProjectState = ProjectState.RUNNING,
    survey: Survey | None = None,
) -> Project:
    """Return the project of this name, for a command; make it, as `make_project` does, if it does not exist.

    Raises NameIsAddressError, ImagesAwayError, and ValidationError.
    """
    Project._meta.get_field("name").run_validators(name)  # PostgreSQL takes no text with NUL, not even to look for it
    try:
        found = Project.objects.filter(name=name).first() or make_project(
            name=name, settings=settings, title=title, state=state, survey=survey
        )
    except NameIsAddressError:
        raise
    except NameTakenError:  # made in this moment
        found = Project.objects.get(name=name)
    if found.away is not None:
        raise ArchivedImagesError(found)
    return found


@transaction.atomic
def change_settings(
    *,
    project_id: int,
    settings: Settings,
    reason: str = "",
    made_by: str = "",
    begun_follow: bool = True,
    origin: Origin = Origin.GIVEN,
) -> int:
    """Add a version and return its number. Images use it from their next entry on; what was decided stays.

    `begun_follow`: whether images with answers follow too; else they stay with the version that they have
    (`followed_version` in `settings/versions.py`). `origin`: of learned values that differ from those in force.
    No answer is lost: links that are answered or on loan when an image gets other settings of links stay open until
    their answers count (`pipeline.protocol.image.linking.take_new_rules`).
    The same settings once more let begun images follow that an earlier version left behind.
    """
    current, newest = hold_settings(project_id)[1], newest_version(project_id)
    row = SettingsVersion(
        project_id=project_id,
        version=newest.version + 1,
        values=settings.chosen(),
        learned=given(project_id, newest.learned, settings.learned, origin),
        reason=reason,
        made_by=made_by[:150] or None,
        begun_from=begun_from(
            newest.version + 1,
            before=newest.begun_from,
            begun_follow=begun_follow,
            changes_images=settings == current or changes_images(current, settings),
        ),
    )
    row.clean_fields(exclude=["project", "values", "learned"])
    row.save()
    return row.version
