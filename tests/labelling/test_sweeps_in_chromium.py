"""In Chromium: sweeps from the first key to the record, with the keyboard and with a finger."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from tests.labelling.conftest import Sit
from tests.support.axe import violations
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import encoded
from tests.support.projects import phrases, project_of, worker
from tests.support.six_tasks import ground, show

LINK = Task.COREFERENCE_LINK
CHAINS = {
    "people": ["a man", "the tourist", "a person", "the man", "he"],
    "animals": ["a dog", "the pet", "an animal", "it"],
    "vehicles": ["a car", "the vehicle", "a red car"],
    "instruments": ["a guitar", "an instrument", "the guitar"],
}
"""The chains of an image of 15 phrases."""
PHRASES = [f"{kind}: {words}" for kind, chain in CHAINS.items() for words in chain]
SWEEPS = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True, reask_rate=0.0, test_questions=0)


@pytest.fixture
def make(transactional_db: None) -> Callable[..., Project]:
    """make(*phrases): a project of one picture with these phrases, as in `phrases`."""

    def made(*texts: str) -> Project:
        project = project_of(phrases(*texts), settings=SWEEPS)
        show(project, encoded(ground(), "JPEG"))
        return project

    return made


def candidates(tab: LabellingPage) -> Locator:
    return tab.page.get_by_role("group", name="Your answer").locator("xpath=..").locator(".touch")


def numbers_of_chain(tab: LabellingPage) -> list[str]:
    """Return the numbers of the candidates that mean what A means."""
    about = tab.page.locator("h1 bdi").inner_text()
    chain = next(chain for chain in CHAINS.values() if about in chain)
    shown = [text.split("\n") for text in candidates(tab).evaluate_all("all => all.map(one => one.innerText)")]
    numbered = [("".join(parts)[:1], "".join(parts)[1:]) for parts in shown]
    return [number for number, words in numbered if words in chain]


def test_15_phrases_in_four_chains_take_15_presses_and_the_picture_stays_as_it_is_zoomed(
    sit: Sit, make: Callable[..., Project]
) -> None:
    make(*PHRASES)
    tab = sit(worker(Project.objects.get(), "ada"))
    pictures: list[str] = []
    tab.page.on("request", lambda request: pictures.append(request.url) if request.resource_type == "image" else None)
    tab.ask(LINK)
    tab.press("+")
    zoom, loaded = tab.picture.get_attribute("data-zoom"), len(pictures)
    presses = 0
    for place in range(len(CHAINS)):
        tab.wait_for_question(place)
        expect(tab.picture).to_have_attribute("data-zoom", zoom or "")
        expect(tab.page.locator(".stage")).to_have_attribute("data-loading", "shown")
        keys = [*numbers_of_chain(tab), "Enter"]
        tab.look()
        tab.press(*keys)
        presses += len(keys)
    assert presses == 15 and len(pictures) == loaded
    tab.submit()
    given = {tuple(subject): answer for subject, answer in Judgment.objects.values_list("question__subject", "answer")}
    assert given == {subject: {"same": list(subject[1:])} for subject in given} and len(given) == 4


def test_tab_space_and_enter_reach_every_phrase_and_the_main_button(sit: Sit, make: Callable[..., Project]) -> None:
    make(*PHRASES[:5])
    tab = sit(worker(Project.objects.get(), "ada"))
    tab.ask(LINK)
    first, second = candidates(tab).nth(0), candidates(tab).nth(1)
    while not first.evaluate("one => one === document.activeElement"):
        tab.press("Tab")
    tab.press("Space", "Tab", "Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(second).to_have_attribute("aria-pressed", "true")
    tab.press("Space")
    expect(second).to_have_attribute("aria-pressed", "false")
    tab.walk_to("sweep")
    tab.press("Enter")
    tab.submit()
    [(subject, answer)] = Judgment.objects.values_list("question__subject", "answer")
    assert answer == {"same": subject[1:2]}


def test_a_finger_chooses_two_phrases_and_confirms_them_on_a_phone(sit: Sit, make: Callable[..., Project]) -> None:
    make(*PHRASES[:5])
    tab = sit(
        worker(Project.objects.get(), "ada"), viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    tab.ask(LINK)
    for place in (0, 2):
        candidates(tab).nth(place).tap()
        expect(candidates(tab).nth(place)).to_have_attribute("aria-pressed", "true")
    tab.page.locator("[data-answer=sweep]").tap()
    tab.submit()
    [(subject, answer)] = Judgment.objects.values_list("question__subject", "answer")
    assert answer == {"same": [subject[1], subject[3]]}


@pytest.mark.parametrize(
    ("locale", "wrong", "missed"), [("en-GB", "✗ wrong", "✗ missed"), ("de-DE", "✗ falsch", "✗ übersehen")]
)
def test_a_lesson_marks_what_was_touched_wrongly_and_what_was_missed(
    sit: Sit, make: Callable[..., Project], locale: str, wrong: str, missed: str
) -> None:
    make(*PHRASES[:5])
    tab = sit(worker(Project.objects.get(), "ada"), locale=locale)
    tab.open(LINK, "learning", met=False)
    tab.press("Enter", "1", "2", "Enter")
    expect(tab.page.locator(".slip")).to_have_text([wrong, missed])
    expect(tab.page.locator(".touch").nth(1)).to_contain_text(wrong)
    expect(tab.page.locator(".touch").nth(2)).to_contain_text(missed)


def test_the_screen_its_rule_and_its_lesson_have_no_fault_of_access(sit: Sit, make: Callable[..., Project]) -> None:
    make(*PHRASES[:5])
    tab = sit(worker(Project.objects.get(), "ada"))
    tab.open(LINK, "learning", met=False)
    found = violations(tab.page)
    tab.press("Enter", "1", "Enter")
    found += violations(tab.page)
    tab.ask(LINK)
    tab.press("1", "2")
    found += violations(tab.page)
    tab.press("?")
    expect(tab.page.get_by_role("dialog")).to_contain_text("Choose every numbered phrase that means the same as A")
    assert found + violations(tab.page) == []


def test_a_page_from_before_sweeps_loads_their_screen_with_the_first(sit: Sit, make: Callable[..., Project]) -> None:
    make(*PHRASES[:5])
    tab = sit(worker(Project.objects.get(), "ada"))
    tab.page.route("**/work/small/coreference_link/", lambda route: route.fulfill(body=old_page(route.fetch().text())))
    tab.ask(LINK)
    tab.press("1", "Enter")
    tab.submit()
    assert Judgment.objects.count() == 1


def old_page(html: str) -> str:
    assert " data-sweeps" in html
    return html.replace(" data-sweeps", "")
