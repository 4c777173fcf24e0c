"""Time and statements of a large project's pages, over Django's test client: without a network, with templates."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse

from accounts.members import add_member
from accounts.models import RightKind, Role
from accounts.rights import give_right
from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from pipeline.models import Judgment, Question
from pipeline.protocol.tasks.task import Task
from projects.dashboard.figures import refresh_figures
from projects.models import ErrorSample, GoldImage, Run
from studies.http_load.measure import TICKS
from studies.servers import stat_of
from workers.models import Worker

RARE = "man+31"
"""Words of few images: each copy of an image has its number in its captions."""
OF_PROJECT = (
    *("dashboard", "words", "alerts", "predict", "workers", "review", "samples", "gold"),
    *("known_questions", "money", "suggestions", "data", "preview", "models", "settings", "copy", "delete"),
)
"""Pages of a project that need nothing else."""
OF_PROGRAMS = (
    *("progress", "settings", "judgments", "ledger", "runs", "known_questions", "programs", "deliveries"),
    *("phrase_sample", "dashboard"),
)
"""Calls of the API for requesters."""


class Page(NamedTuple):
    """A request to measure: its name, its address, and what it posts, if it posts something."""

    name: str
    address: str
    posts: dict[str, Any] | None = None


def pages_of(project: Project) -> list[Page]:
    """Return every list, dashboard and search page of the project, with the live requests and the admin's lists."""
    return [*_plain(project), *_of_one(project), *_searches(project), *_of_admin(project)]


def _plain(project: Project) -> Iterator[Page]:
    judgment = Judgment.objects.filter(question__project=project).latest("id").pk
    yield Page("projects", reverse("gallery:start"))
    yield Page("tokens", reverse("projects:tokens"))
    yield from (Page(name.replace("_", ", "), _at(project, name)) for name in OF_PROJECT)
    yield Page("dashboard, a table", _at(project, "dashboard_table", "hours"))
    yield Page("suggestions, look for new ones", _at(project, "suggestions"), {"say": "find"})
    yield Page("API, projects", reverse("requester_api:projects"))
    for name in OF_PROGRAMS:
        yield Page(f"API, {name}", reverse(f"requester_api:{name}", args=[project.name]))
    last = reverse("requester_api:judgments", args=[project.name])
    yield Page("API, judgments, last page", f"{last}?after={judgment - 100}")
    yield Page("API, messages", reverse("requester_api:requester_messages", args=[project.name]))


def _of_one(project: Project) -> Iterator[Page]:
    """Yield pages of one image, worker, chain in review, sample, known question and import."""
    image = project.images.order_by("-position")[project.images.count() // 20]
    waiting = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).earliest("id")
    sample = ErrorSample.objects.filter(project=project).latest("id").pk
    gold = GoldImage.objects.filter(image__project=project).latest("place").image_id
    bench = f"{reverse('requester_api:workbench', args=[project.name, waiting.image_id])}?chain={waiting.name}"
    worker = _at(project, "worker", _busy(project).pk)
    yield Page("image", reverse("gallery:image", args=[project.name, image.pk]))
    yield Page("workbench", _at(project, "bench", waiting.image_id))
    yield Page("workbench, data", bench)
    yield Page("workbench, data, disputed", f"{bench}&disputed=yes")
    yield Page("error sample", _at(project, "error_sample", sample))
    yield Page("error sample, image", _at(project, "sampled_image", sample, 1))
    yield Page("known questions, image", _at(project, "gold_image", gold))
    number = Run.objects.filter(project=project).latest("id").pk
    yield Page("import", f"/api/v1/requester/projects/{project.name}/runs/{number}/")
    yield Page("worker", worker)
    for kind in ("checked", "wrong", "against"):
        yield Page(f"worker, answers {kind}", f"{worker}?kind={kind}")
    yield Page("worker, links, last page", f"{worker}?task={Task.COREFERENCE_LINK.value}&page=999999")


def _busy(project: Project) -> Worker:
    """Return a worker who has answered."""
    return Judgment.objects.filter(question__project=project).select_related("worker").earliest("id").worker


def _searches(project: Project) -> Iterator[Page]:
    """Yield the lists that can be searched and sorted, each once for each query."""
    last, worker = project.images.latest("position"), _busy(project).name
    lists: dict[str, tuple[str, dict[str, str]]] = {
        "images": (
            reverse("gallery:project", args=[project.name]),
            {
                "": "",
                "last page": "page=999999",
                "in boxing": "state=boxing",
                "common word": "words=man",
                "some word": "words=dog",
                "rare words": f"words={RARE}",
            },
        ),
        "explore": (
            _at(project, "explore"),
            {
                "everything": "",
                "last page": f"before={last.position + 1}",
                "common word": "words=man",
                "some word": "words=dog",
                "rare words": f"words={RARE}",
                "no such word": "words=zebra",
                "word in captions": "words=dog&where=captions",
                "name of an image": f"words={last.name}&where=names",
                "type": "type=people",
                "type and word": "type=clothing&words=dog",
                "chains in review": "chain=review",
                "images in linking": "image=linking",
                "no box": "boxes=0",
                "4 boxes": "boxes=4",
                "2 boxes, dog": "boxes=2&words=dog",
                "a worker": f"worker={worker}",
                "nobody's name": "worker=nobody",
                "disagreement": "disagree=1",
                "disagreement, dog": "disagree=1&words=dog",
            },
        ),
        "workers": (
            _at(project, "workers"),
            {
                "called 7": "name=7",
                **{f"by {sort}": f"sort={sort}" for sort in ("worker", "-answers", "score", "-owed_cents")},
            },
        ),
        "review": (
            _at(project, "review"),
            {
                "last page": "page=999999",
                "type": "type=people",
                "worker": f"worker={worker}",
                "disputed": "disputed=yes",
            },
        ),
    }
    for name, (here, queries) in lists.items():
        yield from (Page(f"{name}, {what}", f"{here}?{query}") for what, query in queries.items())


def _of_admin(project: Project) -> Iterator[Page]:
    yield Page("admin", reverse("admin:index"))
    for model, page in sorted(admin.site._registry.items(), key=lambda one: one[0]._meta.label):
        if not getattr(page, "project_path", ""):
            continue  # for administrators only
        name, label = model._meta.label_lower.replace(".", "_"), str(model._meta.verbose_name_plural)
        here = reverse(f"admin:{name}_changelist")
        yield Page(f"admin, {label}", here)
        if page.search_fields:
            yield Page(f"admin, {label}, dog", f"{here}?q=dog")
        yield from (Page(f"admin, {label}, {one}", f"{here}?{one}={project.pk}") for one in _by_project(page))
    question = Question.objects.filter(project=project).latest("id")
    yield Page("admin, one image", reverse("admin:annotation_image_change", args=[question.image_id]))
    yield Page("admin, one project", reverse("admin:annotation_project_change", args=[project.pk]))
    yield Page("admin, search", f"{reverse('admin:search')}?s=dog")


def _by_project(page: Any) -> Iterator[str]:
    """Yield the filter of an admin's list by project, if it has one."""
    for one in page.list_filter:
        if isinstance(one, str) and (one == "project" or one.endswith("__project")):
            yield f"{one}__id__exact"


def _at(project: Project, name: str, *more: object) -> str:
    return reverse(f"projects:{name}", args=[project.name, *more])


TRIES = 5
"""Requests after the first. None: the figures are those of the first."""
MOST_STATEMENTS, MOST_MS = 20, 300
"""The goal for each page."""
PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""No hashes in names: pages need no list of files that `collectstatic` makes."""
HEAD = f"{'page':<52}{'statements':>10}{'median ms':>10}{'first ms':>9}{'CPU ms':>8}{'rows':>9}"


@dataclass(slots=True)
class Statements:
    """The statements of a request: how many, and the rows that they returned or wrote."""

    count: int = 0
    rows: int = 0

    def run(self, execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        """Run a statement of the request; Django calls this."""
        found = execute(sql, params, *rest)
        if not sql.startswith(("SAVEPOINT", "RELEASE")):
            self.count += 1
            self.rows += max(rest[-1]["cursor"].rowcount, 0)
        return found


@dataclass(frozen=True, slots=True)
class Measured:
    """A page's figures. Milliseconds are of whole requests: the first with an empty cache, then the median of five.

    `cpu`: the median processor time of this process and of its PostgreSQL process, which a busy machine changes little.
    """

    page: Page
    status: int
    statements: Statements
    first: float
    median: float
    cpu: float

    @property
    def fault(self) -> str:
        """The goal that the page misses, in words; empty: none."""
        if self.status >= 400:
            return f"status {self.status}"
        if self.statements.count > MOST_STATEMENTS:
            return f"{self.statements.count} statements"
        return f"{self.median:.0f} ms" if self.median > MOST_MS else ""

    def __str__(self) -> str:
        fault = f"  MISSED: {self.fault}" if self.fault else ""
        figures = f"{self.statements.count:>10}{self.median:>10.0f}{self.first:>9.0f}{self.cpu:>8.0f}"
        figures += f"{self.statements.rows:>9,}"
        return f"{self.page.name:<52}{figures}{fault}"


@contextmanager
def measuring(project: Project) -> Iterator[Client]:
    """Sign in a requester of every project, who makes projects and enters the admin pages.

    Yields a client without hashed names.
    """
    with override_settings(ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | {"staticfiles": PLAIN_FILES}):
        user, _ = User.objects.get_or_create(username="measurer")
        for kind in (RightKind.ADMIN, RightKind.PROJECTS):
            give_right(user, kind, by=None)
        for object_ in Project.objects.all():
            add_member(user, object_, Role.REQUESTER)
        client = Client()
        client.force_login(User.objects.get(pk=user.pk))
        yield client


def measure_pages(project: Project, say: Callable[[str], None]) -> list[Measured]:
    """Say the figures of each page as a table."""
    begun = time.monotonic()
    refresh_figures(project.pk)
    say(f"The figures of the dashboard took {time.monotonic() - begun:.0f} s; they are computed in the background.")
    say(HEAD)
    found = []
    with measuring(project) as client:
        for page in pages_of(project):
            found.append(measure(client, page))
            say(str(found[-1]))
    return found


def measure(client: Client, page: Page) -> Measured:
    """Request a page with an empty cache, then TRIES times more. The statements are those of the first request."""

    def ask() -> Any:
        return client.get(page.address) if page.posts is None else client.post(page.address, page.posts)

    cache.clear()
    made = Statements()
    with connection.execute_wrapper(made.run):
        first = _timed(ask)
    tries = [_timed(ask) for _ in range(TRIES)] or [first]
    return Measured(
        page, first[1].status_code, made, first[0], median(one[0] for one in tries), median(one[2] for one in tries)
    )


def missed(found: Iterable[Measured]) -> list[str]:
    """Return the pages that miss a goal, with the goal."""
    return [f"{one.page.name}: {one.fault}" for one in found if one.fault]


def _timed(ask: Callable[[], Any]) -> tuple[float, Any, float]:
    """Return the milliseconds, the reply, and the milliseconds of processor time."""
    begun, before = time.perf_counter(), _cpu()
    reply = ask()
    getattr(reply, "content", None)
    return 1000 * (time.perf_counter() - begun), reply, 1000 * (_cpu() - before)


def _cpu() -> float:
    """Return the seconds of processor time so far. PostgreSQL's are known only on its own machine."""
    own = time.process_time()
    if not connection.connection or connection.vendor != "postgresql":
        return own
    try:
        return own + sum(map(int, stat_of(connection.connection.info.backend_pid)[11:13])) / TICKS
    except OSError:
        return own
