"""Every long table of requesters: headers that sort, filters that stay, and all its rows as CSV."""

import csv
import io
import re
import tempfile
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.test import Client
from django.urls import reverse

from annotation.models import Chain, Image, Project
from pipeline.models import Assignment, Judgment, KnownQuestion, LabelDoubt
from pipeline.protocol.tasks.task import Task
from platforms.models import Offer, Payment, Session
from projects.evaluation.overlay_page import reports_of
from projects.long_table import LongTable
from projects.models import Alert, AlertChannel, Delivery
from runtime.downloads import FORMULA
from tests.support.checked import checked_project
from tests.support.kept import Kept, kept_rows
from tests.support.places import ROOT
from tests.support.rows import NOW, make_judgment, make_story
from tests.support.runs import some_run
from tests.support.surveys import ATOM, atom, survey, vote
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db
HOSTILE = "=1+1"
SCORED = """image,caption,words,types,class,overlap,x0,y0,x1,y1,gold x0,gold y0,gold x1,gold y1
0,0,'=a dog,animals,correct,0.9,0,0,9,9,0,0,9,10
1,0,a hat,clothing,no proposal,,,,,,0,0,9,10
2,1,two men,people,confused,0.2,0,0,2,9,0,0,9,10
"""
Address = Callable[[Project], str]


def at(name: str, *more: str) -> Address:
    return lambda project: reverse(name, args=[project.name, *more])


def of_worker(name: str) -> Address:
    return lambda project: reverse(name, args=[project.name, Worker.objects.get(name=HOSTILE).pk])


def overlays(project: Project) -> str:
    return reverse("projects:overlays", args=[project.name, reports_of(project).get().pk])


TABLES: dict[str, Address] = {
    "images": at("gallery:project"),
    "workers": at("projects:workers"),
    "money": at("projects:money"),
    "sessions": at("projects:sessions", "mturk"),
    "payments": at("projects:payments", "mturk"),
    "assignments": of_worker("projects:assignments"),
    "answers": of_worker("projects:worker"),
    "questions": at("projects:known_questions"),
    "labels": at("projects:check"),
    "deliveries": at("projects:alerts"),
    "chains": at("projects:review"),
    "phrases": overlays,
    "survey questions": lambda _: reverse("projects:results", args=["survey"]),
}


def make_rows() -> None:
    """Make a project with at least three rows in each table; names in it begin a formula."""
    project = checked_project(images=4, name="parks")
    project.images.update(position=F("position") + 1000)  # the first places are those of `make_story`
    image = make_story(project)
    LabelDoubt.objects.filter(image=image).delete()
    session = Session.objects.get()
    Worker.objects.filter(pk=session.worker_id).update(name=HOSTILE)
    Image.objects.filter(pk=image.pk).update(name=HOSTILE)
    for number in range(3):
        judgment = make_judgment(image, Worker.objects.get(name=HOSTILE))
        asked = {"project": project, "task": Task.BOX_REQUIREMENT.value, "image": image, "shown": {}, "truth": 1}
        KnownQuestion.objects.create(**asked, key=f"{number}", source="expert")
        times = {"opened_at": NOW, "ends_at": NOW, "worker": judgment.worker}
        other = Session.objects.create(offer=Offer.objects.get(), external_id=f"@{number}", **times)
        Payment.objects.create(session=other, kind="bonus", cents=number + 1, created_at=NOW)
    make_rows_of_other_rooms(project)


def make_rows_of_other_rooms(project: Project) -> None:
    """Make alerts, chains in review, a report, and a survey with votes."""
    channel = AlertChannel.objects.get()
    for number, kind in enumerate(("words", "appeals")):
        alert = Alert.objects.create(
            project=project, kind=kind, count=1, words=f"={number}", path="/", began_at=NOW + timedelta(hours=number)
        )
        Delivery.objects.create(alert=alert, channel=channel, state="failed", due_at=NOW)
    for number, image in enumerate(project.images.order_by("position")):
        Chain.objects.filter(image=image, name=0).update(state="review", review=f"reason {number}")
    some_run(project, "begin_evaluation", state="done", result={"title": "Phrases"})
    folder = Path(tempfile.mkdtemp())
    asked = survey(folder, [atom("dog"), atom("idea"), atom("be", "action")], ATOM)
    for name, idea in (("ann", "yes"), ("ben", "no"), ("cyd", "no")):
        vote(asked, Client(), name, ATOM, dog="yes", idea=idea, be="no")


rows = kept_rows(make_rows)


@pytest.fixture
def project(rows: Kept, client: Client, monkeypatch: pytest.MonkeyPatch) -> Project:
    rows.write()
    client.force_login(User.objects.create_superuser("boss"))
    monkeypatch.setattr("projects.evaluation.overlay_page.read_file", lambda run, name: SCORED.encode())
    return Project.objects.get(name="parks")


def lines_of(client: Client, address: str, **query: str) -> list[list[str]]:
    sent = client.get(address, {**query, "format": "csv"})
    assert "attachment" in sent["Content-Disposition"] and sent["Content-Type"].startswith("text/csv")
    assert sent["Cache-Control"] == "private, no-store"
    return list(csv.reader(io.StringIO(sent.getvalue().decode())))  # type: ignore[attr-defined]


def links(text: str, wanted: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'href="(\?[^"]*)"', text) if wanted in link]


def test_no_table_is_left_out() -> None:
    sources = (path.read_text() for path in (ROOT / "projects").rglob("*.py"))
    assert sum(len(re.findall(r"= LongTable\(", source)) for source in sources) == len(TABLES)


@pytest.mark.parametrize("name", TABLES)
class TestEveryTable:
    def test_the_file_has_every_row_in_the_order_of_the_page(self, client: Client, project: Project, name: str) -> None:
        address = TABLES[name](project)
        page = client.get(address)
        table: LongTable[Any] = page.context["table"]
        header, *lines = lines_of(client, address)
        assert header == [column.name for column in table.columns]
        assert len(set(header)) == len(header) and len(lines) == page.context["page"].paginator.count >= 3
        shown = [[str("" if cell is None else cell) for cell in plain(table, one)] for one in page.context["page"]]
        assert [[cell.removeprefix("'") for cell in line] for line in lines[: len(shown)]] == shown

    def test_no_cell_of_the_file_begins_a_formula(self, client: Client, project: Project, name: str) -> None:
        lines = lines_of(client, TABLES[name](project))
        texts = [cell for line in lines for cell in line if not re.fullmatch(r"-?[\d.]+", cell)]
        assert not [cell for cell in texts if cell.startswith(FORMULA)]

    def test_every_sort_is_a_link_or_a_choice_and_turns_the_rows_round(
        self, client: Client, project: Project, name: str
    ) -> None:
        address = TABLES[name](project)
        for column in client.get(address).context["table"].columns:
            if not column.sort:
                continue
            up = client.get(address, {"sort": column.name})
            down = client.get(address, {"sort": f"-{column.name}"})
            if "aria-sort" in up.text:
                assert up.text.count("aria-sort=") == 1 and 'aria-sort="ascending"' in up.text
                assert links(up.text, f"sort=-{column.name}") and links(down.text, f"sort={column.name}")
                assert 'aria-sort="descending"' in down.text
            else:
                assert f'<option value="-{column.name}" selected>' in down.text
            values = [column.file_value(one) for one in up.context["page"]]
            assert len(values) == len(down.context["page"].object_list)
            if len(set(map(str, values))) > 1:
                assert values != [column.file_value(one) for one in down.context["page"]], column.name

    def test_a_filter_keeps_the_sort_and_the_file_has_what_it_leaves(
        self, client: Client, project: Project, name: str
    ) -> None:
        address = TABLES[name](project)
        table = client.get(address).context["table"]
        sort = next(column.name for column in table.columns if column.sort)
        for field, offered in table.filters.fields.items():
            value = offered.choices[-1][0] if hasattr(offered, "choices") else "nowhere"
            found = client.get(address, {field: value, "sort": f"-{sort}"})
            assert f'value="-{sort}"' in found.text
            assert len(lines_of(client, address, **{field: value})) - 1 == found.context["page"].paginator.count
            if not found.context["page"].object_list:
                assert "Show all" in found.text

    def test_what_is_not_offered_counts_as_nothing(self, client: Client, project: Project, name: str) -> None:
        address = TABLES[name](project)
        usual = client.get(address)
        given = dict.fromkeys(("kind", "task", "state", "show", "part", "purpose", "sort"), "dragons")
        odd = client.get(address, {**given, "page": "dragons"})
        assert odd.context["page"].paginator.count == usual.context["page"].paginator.count


def plain(table: LongTable[Any], one: Any) -> list[Any]:
    return [column.file_value(one) for column in table.columns]


@row(Assignment, "assignments")
@row(Judgment, "answers")
def test_the_next_page_keeps_filter_and_sort(model: Any, name: str, client: Client, project: Project) -> None:
    who, image = Worker.objects.get(name=HOSTILE), Image.objects.get(name=HOSTILE)
    for _ in range(60):
        make_judgment(image, who)
    page = client.get(TABLES[name](project), {"task": "box_quality", "sort": "task"})
    address = links(page.text, "page=2")[0]
    assert "task=box_quality" in address and "sort=task" in address
    assert len(lines_of(client, TABLES[name](project))) == 1 + model.objects.filter(worker=who).count()
