"""Whole campaigns in Chromium: the first answer, a crew, surveys, platforms, and a requester with newcomers.

Mechanical Turk shows our page in a frame of another site, where Chromium forbids cookies and storage. Prolific sends
its participants to us, and gets them back by an address.
"""

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from functools import partial
from io import StringIO
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Image, Project
from exchange.dataset import DatasetImage
from pipeline.models import Judgment, Question
from pipeline.money.pay_worker import give_bonus
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from platforms.contract import RecruitmentTerms
from platforms.models import Offer, Payment, Recruitment, Session
from platforms.offers.recruit import begin_recruiting
from platforms.registry import find_platform
from platforms.sync import sync
from runtime.words import money
from tests.support import crew as crews
from tests.support import requesters_steps as steps
from tests.support.at_a_browser import AtABrowser, Watched
from tests.support.being_tested import add_known
from tests.support.browsers import new_context
from tests.support.labelling_page import LabellingPage, complaints, sign_in, wait_until_it_answers
from tests.support.projects import worker
from tests.support.served import manage
from tests.support.sites import WHO, Site, mturk, prolific
from tests.support.six_tasks import six_tasks
from tests.support.surveys import scene_survey
from tests.support.word_crowd import PASSWORD, Quarrel, Requests, people, word_of
from workers.models import Worker

MOST_PRESSES = 12
"""From the sign-in to the first answer, fields that are filled in among them."""


def test_the_first_answer_about_own_photographs_takes_12_presses(
    requester: AtABrowser, data_folder: Path, tmp_path: Path
) -> None:
    steps.bring_photographs(requester, steps.few_of(data_folder / "coco", tmp_path / "photographs"))
    requester.button("Start")
    page = requester.page
    expect(page.get_by_text("The project is running now.")).to_be_visible()
    requester.button("Answer yourself")
    wait_until_it_answers(page)
    requester.button("Start without examples")
    first = page.locator('#work[data-state="asking"][data-index="0"]')
    expect(first).to_be_attached()
    wait_until_it_answers(page)
    requester.keys("1")
    expect(first).to_have_count(0)
    assert requester.presses <= MOST_PRESSES


Sit = Callable[[Project, Worker, crews.Hand], LabellingPage]


@pytest.fixture
def sit(chromium: Browser, live_server: Any) -> Iterator[Sit]:
    """sit(project, worker, hand): the worker's tab in a browser for the hand. An error of a page fails the test."""
    contexts: list[BrowserContext] = []
    complained: list[list[str]] = []

    def begin(project: Project, who: Worker, hand: crews.Hand) -> LabellingPage:
        contexts.append(new_context(chromium, **hand.options))
        sign_in(contexts[-1], live_server.url, who)
        page = contexts[-1].new_page()
        complained.append(complaints(page))
        return LabellingPage(page, live_server.url, project.name)

    yield begin
    for context in contexts:
        context.close()
    assert complained and [one for lines in complained for one in lines] == []


@pytest.mark.django_db(transaction=True)
def test_a_scene_goes_from_captions_to_the_export_by_the_real_screens(sit: Sit, scene: Project, tmp_path: Path) -> None:
    crew = crews.make_crew(scene, [crews.Mouse(), crews.Keyboard(), crews.Finger()], partial(sit, scene), others=2)
    done = crews.annotate(crew, scene)
    assert Image.objects.get().state == "merged"
    assert done == {hand: set(PROTOCOL_TASKS) for hand in (crews.Mouse, crews.Keyboard, crews.Finger)}
    assert list(replay(scene)) == []
    crews.check_boxes(crew, scene, tmp_path / "export")


SEED = 8


def respondents(sit: Sit, project: Project, *hands: crews.Hand | None) -> list[crews.Respondent]:
    """Make a crew with a browser for each hand; None sends requests."""
    crew = []
    for number, hand in enumerate(hands):
        who = worker(project, f"{type(hand).__name__.lower()}-{number}", Task(project.survey))
        tab = sit(project, who, hand) if hand else None
        crew.append(crews.Respondent(who, hand, tab, Random(f"{SEED} {number}")))
    return crew


def verdict(answer: Any) -> str:
    return answer if isinstance(answer, str) else str(answer["verdict"])


@pytest.mark.django_db(transaction=True)
def test_captions_are_checked_by_keyboard_and_by_touch(sit: Sit, tmp_path: Path) -> None:
    project = scene_survey(tmp_path, Task.CAPTION_CHECK)
    crew = respondents(sit, project, crews.Keyboard(), crews.Finger(), crews.Arrows(), None, None, None)
    crews.answer_survey(crew, project)
    votes = crews.check_votes(project, crew, tmp_path)
    assert list(replay(project)) == []
    for respondent in crew:
        pictures = [item.split(":")[0] for item in respondent.said]
        assert len(pictures) == len(set(pictures))
    script = crews.by_item(crew)
    assert len(script) == 8 and {len(said) for said in script.values()} == {3}
    for item, said in script.items():
        three = [vote for vote in votes if vote["item"] == item]
        majority, agreeing = Counter(map(verdict, said)).most_common(1)[0]
        counted = Counter(vote["answer"] for vote in three)
        assert counted[majority] == agreeing >= 2
        if item.endswith(":correct"):
            assert [vote["right"] for vote in three] == [vote["answer"] == "correct" for vote in three]
    outcomes = Counter(Question.objects.filter(state="closed").values_list("outcome", flat=True))
    assert outcomes == Counter(Counter(map(verdict, said)).most_common(1)[0][0] for said in script.values())
    # The seed has both: right words that were typed, and people who do not agree.
    assert any(vote["replacement"] for vote in votes)
    assert {len(set(map(verdict, said))) for said in script.values()} == {1, 2}


@pytest.mark.smoke
@pytest.mark.django_db(transaction=True)
def test_words_are_judged_by_keyboard_and_by_touch(sit: Sit, tmp_path: Path) -> None:
    project = scene_survey(tmp_path, Task.ATOM_VISUAL)
    crew = respondents(sit, project, crews.Keyboard(), crews.Finger(), None)
    crews.answer_survey(crew, project)
    votes = crews.check_votes(project, crew, tmp_path)
    assert list(replay(project)) == []
    script = crews.by_item(crew)
    assert len(script) == 3 and {len(said) for said in script.values()} == {3}
    for item, said in script.items():
        three = [vote["answer"] for vote in votes if vote["item"] == item]
        assert Counter(three) == Counter(said)
    outcomes = Counter(Question.objects.filter(state="closed").values_list("outcome", flat=True))
    assert outcomes == Counter(Counter(said).most_common(1)[0][0] for said in script.values())


REWARD, TIP = 50, 25
FEW = 2
"""Questions in a test, in a probation and in an assignment."""
SITES: dict[str, Callable[..., AbstractContextManager[Site]]] = {"mturk": mturk, "prolific": prolific}


@pytest.fixture(params=SITES)
def site(
    request: pytest.FixtureRequest, live_server: LiveServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Site]:
    """The twins are at 127.0.0.1: to a browser another site than "localhost"."""
    settings.ADDRESS = live_server.url.replace("127.0.0.1", "localhost")
    with SITES[request.param](settings, monkeypatch) as found:
        yield found


@pytest.fixture
def recruitment(site: Site) -> Recruitment:
    """Of each task one question is open, and a stock for tests and probations is there."""
    protocol = Settings(
        currency=site.side.currency,
        reward_cents=dict.fromkeys((task.value for task in PROTOCOL_TASKS), REWARD),
        batch=dict.fromkeys((task.value for task in PROTOCOL_TASKS), FEW),
        test_questions=FEW,
        probation=FEW,
        probation_most=FEW,
        trusted_rate=0.0,
    )
    project = six_tasks(settings=protocol)
    add_known(project, tests=FEW, stock=FEW)
    platform = find_platform(site.side.name)
    return begin_recruiting(platform, project.pk, PROTOCOL_TASKS, RecruitmentTerms(least=1, quota=2), actor="ada")


@pytest.fixture
def browser(request: pytest.FixtureRequest, site: Site, settings: Any) -> Iterator[Watched]:
    """Only the whole Chromium forbids a frame of another site to keep anything."""
    chromium: Browser = request.getfixturevalue("whole_chromium" if site.side.name == "mturk" else "chromium")
    context = new_context(chromium, viewport={"width": 1000, "height": 800})
    yield Watched(context, settings.ADDRESS)
    context.close()


def look(recruitment: Recruitment) -> None:
    """A round with the platform."""
    assert sync(find_platform(recruitment.platform), recruitment).failures == []


def come_new(site: Site, page: Page, task: Task, assignments: int) -> None:
    """The test, and so many assignments. The last one that a session may have hands it in by itself."""
    visitor = site.take(page, task)
    visitor.take_test()
    for _ in range(assignments):
        visitor.click("Continue")
        visitor.work()
    if assignments < 2:
        visitor.click("Hand in and finish")
    site.expect_back(page)


def come_again(site: Site, page: Page, task: Task) -> None:
    """They have passed the test, and find work."""
    visitor = site.take(page, task)
    visitor.work()
    visitor.click("Hand in and finish")
    site.expect_back(page)


@pytest.mark.django_db(transaction=True)
def test_a_worker_comes_from_a_platform_does_each_task_goes_back_and_is_paid(
    site: Site, recruitment: Recruitment, browser: Watched
) -> None:
    """Probation is known questions only: three tasks go on to real ones at once, three when they are offered again."""
    page = browser.context.new_page()
    look(recruitment)
    at_once, later = list(PROTOCOL_TASKS)[::2], list(PROTOCOL_TASKS)[1::2]
    for task in PROTOCOL_TASKS:
        come_new(site, page, task, assignments=2 if task in at_once else 1)
    who = Worker.objects.get(identities__external_id=WHO)
    give_bonus(worker_id=who.pk, project_id=recruitment.project_id, cents=TIP, reason="Good work.", actor="ada")
    look(recruitment)
    for task in later:
        come_again(site, page, task)
    look(recruitment)

    done = Judgment.objects.filter(worker=who, question__isnull=False).values_list("question__task", flat=True)
    # The answers given at once open a second question of verification and of coverage. A third one is for drawing the
    # chain whose requirement the worker has just judged: that question is for others.
    assert sorted(done) == sorted([*PROTOCOL_TASKS, Task.CHAIN_VERIFICATION, Task.BOX_COVERAGE])
    check_sessions(Session.objects.filter(worker=who).order_by("id"))
    # Each session pays its reward; in three of them one question more was answered, half an assignment.
    check_money(site, recruitment, 9 * REWARD + 3 * REWARD // 2 + TIP)
    assert browser.complaints == []
    assert browser.answers and browser.cookies_of_ours() == []


def check_sessions(sessions: Any) -> None:
    """All are settled, and what comes beyond the rewards was paid before."""
    kinds = [Offer.Kind.ENTRY] * 6 + [Offer.Kind.WORK] * 3
    assert [(one.offer.kind, one.state, one.platform_state) for one in sessions] == [
        (kind, Session.State.FINISHED, Session.PlatformState.APPROVED) for kind in kinds
    ]
    said = Payment.objects.order_by("sent_at").values_list("kind", "state")
    assert list(said) == [("bonus", "done"), *[("approve", "done")] * 9]


def check_money(site: Site, recruitment: Recruitment, cents: int) -> None:
    """The platform's own books, and ours."""
    assert site.side.paid() == cents
    told = StringIO()
    call_command("reconcile", recruitment.project.name, site.side.name, stdout=told)
    amount = money(cents, site.side.currency)
    assert f"1 workers were paid {amount} on the platform; the ledger says {amount}." in told.getvalue()


PROJECT = "street-scenes"
MOST_PRESSES_OF_REQUESTERS, MOST_PAGES = 80, 40
"""Bounds of the requester's steps. Annotating an image for the known questions is counted apart: see `PER_IMAGE`."""
PER_IMAGE = 120
"""The most presses for an image of about fifteen phrases."""


@pytest.fixture
def first(chromium: Browser) -> Iterator[AtABrowser]:
    """The first newcomer, at a browser of their own."""
    context = new_context(chromium, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    said = complaints(page)
    yield AtABrowser(page)
    context.close()
    # The service refuses new questions while the project is paused.
    assert [one for one in said if not one.startswith("Failed to load resource")] == []


def test_from_a_folder_of_photographs_to_the_data_set(
    requester: AtABrowser, first: AtABrowser, service: tuple[str, Path], data_folder: Path, tmp_path: Path
) -> None:
    address, folder = service
    begun = [("", time.monotonic())]

    def done(what: str) -> None:
        begun.append((what, time.monotonic()))

    steps.bring_photographs(requester, steps.few_of(data_folder / "coco", tmp_path / "photographs"))
    steps.mend_a_phrase(requester)
    done("data")
    steps.predict_and_try(requester)
    done("prediction, dry run")
    before = requester.presses
    quarrel = Quarrel(steps.make_known_questions(requester))
    annotating = requester.presses - before
    done("known questions")
    newcomers, trusted = steps.invite_people(requester)
    requester.button("Start")
    expect(requester.page.get_by_text("The project is running now.")).to_be_visible()
    with people(address, quarrel, 6) as crew:
        take_test(first, newcomers)
        crew[0].take_over(first.page.context.cookies())
        done("the first newcomer's test")
        for one in crew[1:]:
            one.join(newcomers)
        for one in crew:
            one.join(trusted)
        qualify(crew)
        done("the other newcomers")
        work(first)
        done("the first newcomer's work")
        pause_and_resume(requester, crew, first)
        finish(crew)
        done("the rest of the work")
        steps.settle_the_dispute(requester)
        finish(crew)
    exported = steps.export(requester, tmp_path)
    compare(exported, folder)
    done("review, export")
    others = requester.presses - annotating
    print(f"{requester.pages} pages, {others} presses, and {annotating} to annotate; newcomer: {first.presses}")
    print("; ".join(f"{what} {at - before:.0f} s" for (_, before), (what, at) in pairwise(begun)))
    assert others <= MOST_PRESSES_OF_REQUESTERS and requester.pages <= MOST_PAGES
    assert annotating <= PER_IMAGE
    assert "nothing differs" in manage(folder, "replay", PROJECT).stdout


def take_test(who: AtABrowser, link: str) -> None:
    """Join, and take the test of links."""
    page = who.page
    page.goto(link)
    for label, text in (("Username", "newcomer-0"), ("Password", PASSWORD), ("Password (again)", PASSWORD)):
        who.fill(label, text)
    who.button("Join")
    card = page.locator(".offer").filter(has_text="Same or different")
    who.press(card.get_by_role("link", name="Take the test"))
    press(who, "Try the examples")
    press(who, "Skip the examples")
    press(who, "Begin the test")
    answer_all(who)
    press(who, "Hand in the test")
    expect(page.get_by_role("heading", name="Test passed")).to_be_visible()


def work(who: AtABrowser) -> None:
    """Answer one more assignment of links."""
    press(who, "Continue")
    answer_all(who)
    press(who, "Submit")
    expect(who.page.locator("#work")).to_have_attribute("data-state", "sent")


def press(who: AtABrowser, name: str) -> None:
    wait_until_it_answers(who.page)
    who.button(name)


def answer_all(who: AtABrowser) -> None:
    """Read the two phrases of each question, and press."""
    page = who.page
    expect(page.locator("#work")).to_have_attribute("data-state", "asking")
    for place in range(10):
        here = page.locator(f'#work[data-state="asking"][data-index="{place}"]')
        expect(here).to_be_attached()
        wait_until_it_answers(page)
        one, other = (word_of(text) for text in page.locator("main mark.phrase").evaluate_all(steps.ALONE)[:2])
        who.press(page.locator(f'[data-answer="{"same" if one == other else "different"}"]'))
        expect(here).to_have_count(0)


def qualify(crew: list[Requests]) -> None:
    """Take the tests of both tasks, and pass both probations. The first newcomer has taken that of links."""
    for one in crew:
        for task in steps.MEASURED:
            for _ in range(3 if one is crew[0] and task is Task.COREFERENCE_LINK else 4):
                assert one.work(PROJECT, task), (one.name, task, one.said)


def pause_and_resume(requester: AtABrowser, crew: list[Requests], newcomer: AtABrowser) -> None:
    page = requester.page
    for one in crew:
        assert one.work(PROJECT, Task.COREFERENCE_LINK)
    requester.button("Pause")
    expect(page.get_by_text("The project is paused now.")).to_be_visible()
    assert crew[1].work(PROJECT, Task.COREFERENCE_LINK) == "" and "paused" in crew[1].said
    press(newcomer, "Continue")
    expect(newcomer.page.get_by_text("The requester has paused this project.")).to_be_visible()
    requester.button("Resume")
    expect(page.get_by_text("The project is running now.")).to_be_visible()


def finish(crew: list[Requests]) -> None:
    """Let everybody answer until nothing is open for anybody."""
    idle = 0
    while idle < 3:
        answered = sum(bool(one.work(PROJECT, task)) for one in crew for task in PROTOCOL_TASKS)
        idle = 0 if answered else idle + 1


CHAINS = """SELECT i.name, COALESCE(h.merged_into, h.name), c.number, m.start, m."end" FROM annotation_mention m
  JOIN annotation_image i ON i.id = m.image_id JOIN annotation_caption c ON c.id = m.caption_id
  JOIN annotation_chain h ON h.image_id = i.id AND h.name = m.chain
  JOIN annotation_project p ON p.id = i.project_id WHERE p.name = ? AND i.state = 'merged'"""
BOXES = """SELECT i.name, b.x0, b.y0, b.x1, b.y1 FROM annotation_mergedbox b
  JOIN annotation_image i ON i.id = b.image_id JOIN annotation_project p ON p.id = i.project_id WHERE p.name = ?"""


def compare(exported: dict[str, DatasetImage], folder: Path) -> None:
    """Compare the chains and boxes that were read with the state of the service: all images."""
    with closing(sqlite3.connect(f"file:{folder}/chainbox.sqlite3?mode=ro", uri=True)) as database:
        phrases = database.execute(CHAINS, [PROJECT]).fetchall()
        boxes = database.execute(BOXES, [PROJECT]).fetchall()
    assert len(exported) == steps.PHOTOGRAPHS and len(boxes) > 40
    for name, image in exported.items():
        stored: dict[int, set[tuple[int, ...]]] = {}
        for _, chain, *place in (row for row in phrases if row[0] == name):
            stored.setdefault(chain, set()).add(tuple(place))
        read: dict[str | None, set[tuple[int, ...]]] = {}
        for mention in image.mentions:
            read.setdefault(mention.chain, set()).add((mention.caption, mention.start, mention.end))
        assert sorted(map(sorted, read.values())) == sorted(map(sorted, stored.values())), name
        edges = sorted((one.box.x0, one.box.y0, one.box.x1, one.box.y1) for one in image.boxes)
        assert edges == sorted(tuple(row[1:]) for row in boxes if row[0] == name), name
