"""The admin's pages of single rows: their links to each other, drawings, and workers' text.
Addresses and choices of the admin that name no row.
The admin of what is annotated: nothing is changed there, and lists can be searched and narrowed.
The admin of who answers: workers, what they may be asked, and the accounts they sign in with.
The admin of what is found out about workers: signals and skills are read.
"""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Box, Caption, Chain, Image, Mention, Project
from pipeline.models import Entry, Judgment, Question
from pipeline.protocol.tasks.task import Task
from projects.quality.detect_signals import find_signals
from projects.quality.estimate_skills import estimate_skills
from tests.support.answers import make_answers, make_known, make_question
from tests.support.rows import make_image, make_project, make_story, make_worker
from tests.support.table import row
from workers.models import Access, TrustStatus, Worker, WorkerSignal
from workers.rules.signals.signal import SignalKind

pytestmark = pytest.mark.django_db
HUGE = "9" * 40
ADD_ACCESS = "admin:workers_access_add"
LIST = "admin:workers_workersignal_changelist"


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


@pytest.fixture
def image(db: None) -> Image:
    make_story(make_project("parks"))
    return Image.objects.get()


@pytest.mark.parametrize("model", [Mention, Box, Question])
def test_a_row_that_names_a_chain_links_to_it(model: type[Model], image: Image, admin_client: Client) -> None:
    link = f'href="{url(Chain, "change", image.chains.get().pk)}">chain 0</a>'
    assert link in admin_client.get(url(model, "changelist")).text
    assert link in admin_client.get(url(model, "change", model._default_manager.get().pk)).text


def test_a_row_whose_chain_is_gone_says_so(image: Image, admin_client: Client) -> None:
    image.chains.all().delete()
    assert "chain 0 (gone)" in admin_client.get(url(Box, "changelist")).text


def test_the_page_of_a_question_shows_its_judgments(image: Image, admin_client: Client) -> None:
    judgment = Judgment.objects.get()
    page = admin_client.get(url(Question, "change", judgment.question_id)).text
    assert f'href="{url(Judgment, "change", judgment.pk)}">{judgment.worker}: good</a>' in page


def test_the_page_of_a_judgment_leads_to_its_line_of_the_record(image: Image, admin_client: Client) -> None:
    judgment = Judgment.objects.get()
    assert url(Entry, "change", judgment.entry.pk) in admin_client.get(url(Judgment, "change", judgment.pk)).text
    Entry.objects.all().delete()
    assert "it has not acted" in admin_client.get(url(Judgment, "change", judgment.pk)).text


def test_the_page_of_an_image_draws_its_boxes_in_pixels(image: Image, admin_client: Client) -> None:
    page = admin_client.get(url(Image, "change", image.pk)).text
    assert 'viewBox="0 0 120 80"' in page and '<rect x="10" y="10" width="30" height="60"' in page
    assert "<title>box 0, chain 0, pending</title>" in page


def test_text_of_a_worker_is_shown_as_text(image: Image, admin_client: Client) -> None:
    said, eve = Judgment.objects.get(), make_worker(name="<script>alert(1)</script>")
    place = {"question": said.question, "assignment": said.assignment, "created_at": said.created_at}
    Judgment.objects.create(worker=eve, answer="<b>good</b>", **place)
    for page in (url(Judgment, "changelist"), url(Question, "change", said.question_id)):
        shown = admin_client.get(page).text
        assert "&lt;script&gt;alert(1)" in shown and "<script>alert(1)" not in shown and "<b>good" not in shown


@pytest.fixture
def requester(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("eve"))
    return client


@pytest.mark.parametrize("key", ["true", "NaN", " ", "²", HUGE])
@pytest.mark.parametrize("page", ["workers/workersignal", "pipeline/progress", "workers/worker"])
def test_an_address_that_names_no_row_leads_back_with_a_message(requester: Client, page: str, key: str) -> None:
    assert requester.get(f"/admin/{page}/{key}/change/").status_code == 302


@pytest.mark.parametrize("sent", ["nobody", "infinity", "\r\nX: y", HUGE])
@pytest.mark.parametrize("page", ["workers/access", "workers/worker"])
def test_a_choice_that_is_no_row_is_refused_in_the_form(requester: Client, page: str, sent: Any) -> None:
    make_worker()
    inline = {"accesses-TOTAL_FORMS": 0, "accesses-INITIAL_FORMS": 0}
    answer = requester.post(f"/admin/{page}/add/", {"worker": sent, "user": sent, **inline})
    assert answer.status_code == 200 and "Select a valid choice" in answer.text


@pytest.fixture
def project() -> Project:
    return make_project()


def names(client: Client, model: str, **query: str) -> list[str]:
    """Return the rows of the list, narrowed by the query."""
    rows = client.get(reverse(f"admin:annotation_{model}_changelist"), query).context["cl"].result_list
    return [str(row) for row in rows]


def test_a_project_is_not_added_here(project: Project, admin_client: Client) -> None:
    assert admin_client.post(reverse("admin:annotation_project_add"), {"name": "new"}).status_code == 403
    assert list(Project.objects.all()) == [project]


def test_the_list_of_projects_counts_their_images(project: Project, admin_client: Client) -> None:
    make_project("empty")
    for _ in range(3):
        make_image(project)
    rows = admin_client.get(reverse("admin:annotation_project_changelist")).context["cl"].result_list
    assert {row.name: row.images_in_it for row in rows} == {"empty": 0, "parks": 3}


def test_images_are_found_by_name_state_and_missing_picture(project: Project, admin_client: Client) -> None:
    make_image(project, name="market", state="merged", picture="pictures/market.jpg")
    make_image(project, name="beach", state="linking")
    assert names(admin_client, "image", q="mark") == ["market"]
    assert names(admin_client, "image", state__exact="linking") == ["beach"]
    assert names(admin_client, "image", picture__isempty="1") == ["beach"]
    assert names(admin_client, "image", picture__isempty="0") == ["market"]


def test_captions_are_found_by_their_words(project: Project, admin_client: Client) -> None:
    make_image(project)
    other = make_image(project).captions.get()
    other.text = "A dog sleeps ."
    other.save()
    assert names(admin_client, "caption", q="dog") == ["A dog sleeps ."]


def test_a_list_shows_fifty_rows_a_page(project: Project, admin_client: Client) -> None:
    for _ in range(51):
        make_image(project)
    assert len(names(admin_client, "image")) == 50 and len(names(admin_client, "image", p="2")) == 1


def test_a_narrowed_list_of_a_large_table_does_not_count_the_whole_table(project: Project, admin_client: Client):
    make_image(project)
    shown = admin_client.get(reverse("admin:annotation_chain_changelist"), {"q": "nothing"}).context["cl"]
    assert shown.full_result_count is None


def test_the_page_of_an_image_without_boxes_or_captions_opens(project: Project, admin_client: Client) -> None:
    image = Image.objects.create(project=project, name="bare", position=0, width=1, height=3000)
    page = admin_client.get(reverse("admin:annotation_image_change", args=[image.pk]))
    assert page.status_code == 200 and 'viewBox="0 0 1 3000"' in page.text


def test_text_of_a_caption_is_shown_as_text(project: Project, admin_client: Client) -> None:
    Caption.objects.filter(image=make_story(project)).update(text="<img src=x onerror=alert(1)>")
    assert "<img src=x" not in admin_client.get(reverse("admin:annotation_caption_changelist")).text


def inline(**first: Any) -> dict[str, Any]:
    """Return the form fields of the accesses on a worker's page, with one new row if `first` is given."""
    counts = {"TOTAL_FORMS": len(first) and 1, "INITIAL_FORMS": 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1000}
    return {f"accesses-{name}": value for name, value in counts.items()} | {
        f"accesses-0-{name}": value for name, value in first.items()
    }


def test_a_worker_is_added_with_a_first_access(project: Project, admin_client: Client) -> None:
    access = inline(project=project.pk, task="box_drawing")
    response = admin_client.post(reverse("admin:workers_worker_add"), {"name": "Ada", "kind": "person", **access})
    assert response.status_code == 302
    assert list(Access.objects.values_list("worker__name", "project", "task")) == [("Ada", project.pk, "box_drawing")]


def test_a_worker_is_renamed_and_given_an_account(admin_client: Client) -> None:
    worker, user = make_worker(), User.objects.create_user("ada")
    page = reverse("admin:workers_worker_change", args=[worker.pk])
    assert admin_client.post(page, {"name": "Ada", "kind": "person", "user": user.pk, **inline()}).status_code == 302
    worker.refresh_from_db()
    assert (worker.name, worker.user) == ("Ada", user)


def test_a_worker_is_never_deleted(admin_client: Client) -> None:
    worker = make_worker()
    delete = reverse("admin:workers_worker_delete", args=[worker.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    several = {"action": "delete_selected", "_selected_action": [worker.pk], "post": "yes"}
    admin_client.post(reverse("admin:workers_worker_changelist"), several)
    assert Worker.objects.get() == worker


def test_an_access_is_given_by_names_and_shown_by_names(project: Project, admin_client: Client) -> None:
    worker = make_worker()
    data = {"worker": worker.pk, "project": project.pk, "task": "box_quality"}
    assert admin_client.post(reverse(ADD_ACCESS), data).status_code == 302
    access = Access.objects.get()
    assert (access.worker, access.project_id, access.task) == (worker, project.pk, "box_quality")
    assert ">parks</a>" in admin_client.get(reverse("admin:workers_access_changelist")).text


def test_an_access_given_by_hand_starts_with_the_test_unless_it_says_trusted(project: Project, admin_client: Client):
    worker = make_worker()
    for task, more in (("box_quality", {}), ("box_drawing", {"trusted": "on"})):
        admin_client.post(reverse(ADD_ACCESS), {"worker": worker.pk, "project": project.pk, "task": task, **more})
    new = {"name": "model-1", "kind": "program", **inline(project=project.pk, task="box_drawing")}
    admin_client.post(reverse("admin:workers_worker_add"), new)
    begun = TrustStatus.objects.order_by("id").values_list("worker__name", "task", "state")
    assert list(begun) == [(worker.name, "box_quality", "invited"), ("model-1", "box_drawing", "invited")]


def test_the_tasks_to_choose_from_are_the_six(project: Project, admin_client: Client) -> None:
    form = admin_client.get(reverse(ADD_ACCESS)).context["adminform"].form
    assert [value for value, _ in form.fields["task"].widget.choices] == [task.value for task in Task]
    assert str(project) in str(form["project"])


@pytest.mark.parametrize("wrong", [{"task": "dancing"}, {"project": 0}, {"worker": 0}], ids=str)
def test_a_wrong_access_is_refused(wrong: dict[str, Any], project: Project, admin_client: Client) -> None:
    data = {"worker": make_worker().pk, "project": project.pk, "task": "box_quality", **wrong}
    assert set(admin_client.post(reverse(ADD_ACCESS), data).context["adminform"].form.errors) == set(wrong)
    assert not Access.objects.exists()


@pytest.mark.both_engines
def test_the_same_access_twice_is_refused_with_a_message(project: Project, admin_client: Client) -> None:
    data = {"worker": make_worker().pk, "project": project.pk, "task": "box_quality"}
    for _ in range(2):
        response = admin_client.post(reverse(ADD_ACCESS), data)
    assert "already exists" in response.text and Access.objects.count() == 1


def test_an_access_is_taken_away_and_not_changed(project: Project, admin_client: Client) -> None:
    access = Access.objects.create(worker=make_worker(), project_id=project.pk, task="box_quality")
    page = reverse("admin:workers_access_change", args=[access.pk])
    assert admin_client.post(page, {"task": "box_drawing"}).status_code == 403
    delete = reverse("admin:workers_access_delete", args=[access.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 302 and not Access.objects.exists()


def test_accesses_are_narrowed_to_a_project_and_a_task(project: Project, admin_client: Client) -> None:
    worker, other = make_worker(), make_project("other")
    for of, task in ((project, "box_quality"), (project, "box_drawing"), (other, "box_quality")):
        Access.objects.create(worker=worker, project_id=of.pk, task=task)
    page = reverse("admin:workers_access_changelist")
    shown = admin_client.get(f"{page}?project__id__exact={project.pk}&task=box_quality").context["cl"].result_list
    assert [(access.project_id, access.task) for access in shown] == [(project.pk, "box_quality")]
    assert admin_client.get(page, {"project__id__exact": "x"}, follow=True).status_code == 200


def test_an_account_is_made_with_a_password_of_its_own(admin_client: Client) -> None:
    page = reverse("admin:auth_user_add")
    data = {"username": "ada", "password1": "", "password2": "", "usable_password": "true"}
    assert admin_client.post(page, data).status_code == 200 and not User.objects.filter(username="ada").exists()
    data |= {"password1": "a long and rare one", "password2": "a long and rare one"}
    assert admin_client.post(page, data).status_code == 302
    assert User.objects.get(username="ada").check_password("a long and rare one")


@pytest.fixture
def image_with_signal() -> Image:
    return make_image(make_project())


@pytest.fixture
def signal(image_with_signal: Image) -> WorkerSignal:
    """Of ada, who was far too fast."""
    make_answers(
        make_worker(name="ada"), [(make_question(image_with_signal, Task.BOX_REQUIREMENT), 3) for _ in range(40)], 0.25
    )
    find_signals(project_id=image_with_signal.project_id)
    return WorkerSignal.objects.get()


def page(signal: WorkerSignal) -> str:
    return reverse("admin:workers_workersignal_change", args=[signal.pk])


def test_the_list_says_who_what_and_how_rare(admin_client: Client, signal: WorkerSignal) -> None:
    said = admin_client.get(reverse(LIST)).text
    for words in (">ada</a>", "far too fast, box requirement", "40 answers took 0.2 s", "1,000,000 honest workers"):
        assert words in said


@row({"kind": SignalKind.FAR_TOO_FAST.value}, 1)
@row({"kind": SignalKind.TWO_ACCOUNTS.value}, 0)
@row({"task": "box_drawing"}, 0)
def test_the_list_is_narrowed(narrowed: dict[str, str], there: int, admin_client: Client, signal: WorkerSignal) -> None:
    assert len(admin_client.get(reverse(LIST), narrowed).context["cl"].result_list) == there


def test_a_signal_links_to_the_judgments_that_show_it(admin_client: Client, signal: WorkerSignal) -> None:
    said = admin_client.get(page(signal)).text
    assert reverse("admin:pipeline_judgment_change", args=[signal.evidence["judgments"][-1]]) in said
    assert "40 in all" in said and "no box can be drawn, 0.2 s" in said


def test_the_list_takes_as_many_statements_for_many_signals_as_for_one(admin_client: Client, signal: WorkerSignal):
    with CaptureQueriesContext(connection) as for_one:
        admin_client.get(reverse(LIST))
    for _ in range(20):
        signal.pk, signal.workers = None, [make_worker().pk, make_worker().pk]
        signal.save()
    with CaptureQueriesContext(connection) as for_many:
        assert admin_client.get(reverse(LIST)).text.count("far too fast, box requirement") >= 21
    assert len(for_many) == len(for_one)


def test_skills_are_listed_with_their_interval_and_never_edited(admin_client: Client, image_with_signal: Image) -> None:
    known = [make_known(image_with_signal, Task.BOX_COVERAGE, "all there") for _ in range(30)]
    answers = [(one, "all there" if place < 24 else "more needed") for place, one in enumerate(known)]
    make_answers(make_worker(name="ada"), answers)
    estimate_skills(project_id=image_with_signal.project_id)
    said = admin_client.get(reverse("admin:workers_skillestimate_changelist")).text
    assert ">ada</a>" in said and ">80 %<" in said and "63 to 90 %" in said
    assert admin_client.get(reverse("admin:workers_skillestimate_add")).status_code == 403
