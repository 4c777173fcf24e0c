"""The pages of a requester that list, count or search something, with addresses in one project."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import admin
from django.urls import reverse

from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from pipeline.models import Judgment, Question
from pipeline.protocol.tasks.task import Task
from projects.models import ErrorSample, GoldImage, ImportRun
from workers.models import Worker

RARE = "man+31"
"""Words of few images: each copy of an image has its number in its captions."""
OF_PROJECT = (
    *("dashboard", "dashboard_live", "words", "alerts", "predict", "workers", "ledger", "review", "samples", "gold"),
    *("known_questions", "money", "suggestions", "data", "preview", "sample", "models", "settings", "copy", "delete"),
)
"""Pages of a project that need nothing else."""
OF_PROGRAMS = ("progress", "settings", "judgments", "ledger", "imports", "gold", "programs", "deliveries")
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
    yield Page("API, messages", reverse("api:requester", args=[project.name]))


def _of_one(project: Project) -> Iterator[Page]:
    """Yield pages of one image, worker, chain in review, sample, known question and import."""
    image = project.images.order_by("-position")[project.images.count() // 20]
    waiting = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).earliest("id")
    sample = ErrorSample.objects.filter(project=project).latest("id").pk
    gold = GoldImage.objects.filter(image__project=project).latest("place").image_id
    bench = f"{_at(project, 'bench_data', waiting.image_id)}?chain={waiting.name}"
    worker = _at(project, "worker", _busy(project).pk)
    yield Page("image", reverse("gallery:image", args=[project.name, image.pk]))
    yield Page("workbench", _at(project, "bench", waiting.image_id))
    yield Page("workbench, data", bench)
    yield Page("workbench, data, disputed", f"{bench}&disputed=yes")
    yield Page("error sample", _at(project, "error_sample", sample))
    yield Page("error sample, image", _at(project, "sampled_image", sample, 1))
    yield Page("known questions, image", _at(project, "gold_image", gold))
    yield Page("import", _at(project, "run", ImportRun.objects.filter(project=project).latest("id").pk))
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
            {"called 7": "name=7", **{f"by {sort}": f"sort={sort}" for sort in ("name", "answers", "score", "owed")}},
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
