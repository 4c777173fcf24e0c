"""The pages of a requester that list, count or search something, with addresses in one project."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.contrib import admin
from django.urls import reverse

from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from campaign.models import ErrorSample, GoldImage, ImportRun
from pipeline.models import Judgment, Question
from pipeline.rules.tasks.task import Task
from workers.models import TrustStatus


class Page(NamedTuple):
    """A request to measure: its name, its address, and what it posts, if it posts something."""

    name: str
    address: str
    posts: dict[str, Any] | None = None


def pages_of(project: Project) -> list[Page]:
    """Return every list, dashboard and search page of the project, with the live requests and the admin's lists."""
    return [
        *_of_project(project),
        *_of_search(project),
        *_of_people(project),
        *_of_review(project),
        *_of_stock(project),
        *_of_data(project),
        *_of_programs(project),
        *_of_admin(project),
    ]


def _of_project(project: Project) -> Iterator[Page]:
    here = reverse("gallery:project", args=[project.name])
    image = project.images.order_by("-position")[project.images.count() // 20]
    yield Page("projects", reverse("gallery:start"))
    yield Page("images", here)
    yield Page("images, last page", f"{here}?page=999999")
    yield Page("images in boxing", f"{here}?state=boxing")
    yield Page("images, common word", f"{here}?words=shirt")
    yield Page("images, some word", f"{here}?words=dog")
    yield Page("images, rare words", f"{here}?words=shirt+31")
    yield Page("image", reverse("gallery:image", args=[project.name, image.pk]))
    for name in ("dashboard", "dashboard_live", "words", "alerts", "predict"):
        yield Page(name.replace("_", ", "), _at(project, name))
    yield Page("dashboard, a table", reverse("campaign:dashboard_table", args=[project.name, "hours"]))


def _of_search(project: Project) -> Iterator[Page]:
    last = project.images.order_by("-position").values_list("position", flat=True)[0]
    searches = {
        "everything": "",
        "last page": f"before={last + 1}",
        "common word": "words=man",
        "some word": "words=dog",
        "rare words": "words=shirt+31",
        "no such word": "words=zebra",
        "word in captions": "words=dog&where=captions",
        "name of an image": "words=made-00031&where=names",
        "type": "type=people",
        "type and word": "type=clothing&words=dog",
        "chains in review": "chain=review",
        "images in linking": "image=linking",
        "no box": "boxes=0",
        "4 boxes": "boxes=4",
        "2 boxes, dog": "boxes=2&words=dog",
        "a worker": f"worker={project.name}+worker+7",
        "nobody's name": "worker=nobody",
        "disagreement": "disagree=1",
        "disagreement, dog": "disagree=1&words=dog",
    }
    for name, query in searches.items():
        yield Page(f"explore, {name}", f"{_at(project, 'explore')}?{query}")


def _of_people(project: Project) -> Iterator[Page]:
    busy = TrustStatus.objects.filter(project=project, state="trusted").order_by("worker").values_list("worker")[0][0]
    yield Page("workers", _at(project, "workers"))
    for sort in ("name", "answers", "score", "owed"):
        yield Page(f"workers by {sort}", f"{_at(project, 'workers')}?sort={sort}")
    yield Page("workers called 7", f"{_at(project, 'workers')}?name=7")
    here = reverse("campaign:worker", args=[project.name, busy])
    yield Page("worker", here)
    for kind in ("checked", "wrong", "against"):
        yield Page(f"worker, answers {kind}", f"{here}?kind={kind}")
    yield Page("worker, links, last page", f"{here}?task={Task.COREFERENCE_LINK.value}&page=999999")
    yield Page("ledger as CSV", _at(project, "ledger"))


def _of_review(project: Project) -> Iterator[Page]:
    here = _at(project, "review")
    waiting = Chain.objects.filter(image__project=project, state=ChainState.REVIEW.value).earliest("id")
    bench = reverse("campaign:bench_data", args=[project.name, waiting.image_id])
    sample = ErrorSample.objects.filter(project=project).latest("id")
    yield Page("review queue", here)
    yield Page("review queue, last page", f"{here}?page=999999")
    yield Page("review queue, type", f"{here}?type=people")
    yield Page("review queue, worker", f"{here}?worker={project.name}+worker+7")
    yield Page("review queue, disputed", f"{here}?disputed=yes")
    yield Page("workbench", reverse("campaign:bench", args=[project.name, waiting.image_id]))
    yield Page("workbench, data", f"{bench}?chain={waiting.name}")
    yield Page("workbench, data, disputed", f"{bench}?chain={waiting.name}&disputed=yes")
    yield Page("error samples", _at(project, "samples"))
    yield Page("error sample", reverse("campaign:error_sample", args=[project.name, sample.pk]))
    yield Page("error sample, image", reverse("campaign:sampled_image", args=[project.name, sample.pk, 1]))


def _of_stock(project: Project) -> Iterator[Page]:
    image = GoldImage.objects.filter(image__project=project).latest("place").image_id
    yield Page("known questions", _at(project, "gold"))
    yield Page("known questions, image", reverse("campaign:gold_image", args=[project.name, image]))
    yield Page("suggestions", _at(project, "suggestions"))
    yield Page("suggestions, look for new ones", _at(project, "suggestions"), {"say": "find"})
    yield Page("stock", reverse("admin:pipeline_stock", args=[project.pk]))


def _of_data(project: Project) -> Iterator[Page]:
    run = ImportRun.objects.filter(project=project).latest("id")
    yield Page("data", _at(project, "data"))
    yield Page("import", reverse("campaign:run", args=[project.name, run.pk]))
    yield Page("phrases", _at(project, "preview"))
    yield Page("phrases, sample", _at(project, "sample"))
    yield Page("models", _at(project, "models"))
    yield Page("settings", _at(project, "settings"))
    yield Page("copy", _at(project, "copy"))
    yield Page("delete", _at(project, "delete"))
    yield Page("tokens", reverse("campaign:tokens"))


def _of_programs(project: Project) -> Iterator[Page]:
    def at(name: str, query: str = "") -> str:
        return reverse(f"requester_api:{name}", args=[project.name]) + query

    judgment = Judgment.objects.filter(question__project=project).latest("id").pk
    yield Page("API, projects", reverse("requester_api:projects"))
    yield Page("API, project", at("project"))
    yield Page("API, settings", at("settings"))
    yield Page("API, judgments", at("judgments"))
    yield Page("API, judgments, last page", at("judgments", f"?after={judgment - 100}"))
    yield Page("API, ledger", at("ledger"))
    yield Page("API, imports", at("imports"))
    yield Page("API, gold", at("gold"))
    yield Page("API, predictions", at("predictions"))
    yield Page("API, deliveries", at("deliveries"))
    yield Page("API, messages", reverse("api:requester", args=[project.name]))


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
    yield Page("admin, owed", f"{reverse('admin:pipeline_ledgerentry_owed')}?project={project.pk}")
    yield Page("admin, search", f"{reverse('admin:search')}?s=dog")


def _by_project(page: Any) -> Iterator[str]:
    """Yield the filter of an admin's list by project, if it has one."""
    for one in page.list_filter:
        if isinstance(one, str) and (one == "project" or one.endswith("__project")):
            yield f"{one}__id__exact"


def _at(project: Project, name: str) -> str:
    return reverse(f"campaign:{name}", args=[project.name])
