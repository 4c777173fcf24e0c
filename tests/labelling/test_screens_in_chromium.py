"""In Chromium: the page is light, and whatever is judged is on the screen before a worker can answer."""

import gzip
import json
import re
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route, expect

from annotation.models import Project
from exchange.dataset import DatasetImage, DatasetMention
from exchange.split_captions import joined_caption
from pipeline.models import Assignment, Judgment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, SURVEY_TASKS, Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from simulation.scenes.scene import draw_scene, make_scene
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage
from tests.support.pictures import encoded
from tests.support.projects import HEIGHT, WIDTH, answer, box, phrases, project_of, worker
from tests.support.six_tasks import ground, show, six_tasks
from tests.support.surveys import scene_survey

CAPTIONS = (
    "[an old man in a red coat] walks along the beach with his two dogs on a cloudy day in autumn .",
    "[the elderly person] throws a stick into the waves while a small child watches from the dunes .",
    "[a man with a grey beard] enjoys the wind at the sea, far away from the noise of the town .",
    "Somebody has come to the shore early in the morning: [a fisherman] who looks for driftwood .",
    "[he] and everyone behind him wait for the rain to end, since nobody has brought an umbrella .",
)
HEBREW = ("[איש זקן במעיל אדום] הולך לאורך החוף עם שני כלבים .", "הילדה הקטנה רואה את [האיש עם הזקן] ליד הים .")
DRAWN, LINKED = "people", "animals"


def said(name: str, *texts: str, kind: str = DRAWN) -> DatasetImage:
    """Make an image with these captions. Words in brackets are a mention of this type."""
    captions, mentions = [], []
    for number, text in enumerate(texts):
        words: list[str] = []
        start = end = None
        for word in text.split():
            if word.startswith("["):
                start = len(words)
            words.append(word.strip("[]"))
            if word.endswith("]"):
                end = len(words)
        captions.append(joined_caption(tuple(words)))
        if start is not None and end is not None:
            mentions.append(DatasetMention(number, start, end, (kind,), None))
    return DatasetImage(name, WIDTH, HEIGHT, tuple(captions), tuple(mentions), (), ())


def without_marks(*texts: str) -> tuple[str, ...]:
    """Return the first caption as it is, and the others without a mention."""
    return (texts[0], *(text.replace("[", "").replace("]", "") for text in texts[1:]))


def long_captions(settings: Settings | None = None, captions: tuple[str, ...] = CAPTIONS) -> Project:
    """Make the project. bob and eve have answered enough for all six tasks to be open to everybody else."""
    once = without_marks(*captions)
    project = project_of(
        *(said(name, *once) for name in ("coverage", "quality", "drawing")),
        said("requirement", *once, kind="other"),
        *(said(name, *captions, kind=LINKED) for name in ("verification", "link")),
        settings=settings,
    )
    bob, eve = worker(project, "bob"), worker(project, "eve")
    answer(project, bob, Task.BOX_DRAWING, box(20, 20, 90, 90), box(30, 10, 80, 95))
    answer(project, eve, Task.BOX_QUALITY, "good")
    while not project.questions.filter(task=Task.CHAIN_VERIFICATION.value).exists():
        answer(project, bob, Task.COREFERENCE_LINK, "same")
    show(project, encoded(ground(200, 100), "JPEG"))
    return project


BEYOND = Settings(strategy=LinkStrategy.ADAPTIVE, beyond_rules=True, reask_rate=0.0)


@pytest.fixture
def project(transactional_db: None) -> Project:
    """Make a project of one narration, in which two phrases far apart are to be compared."""
    scene = make_scene(5, 3, narrated=True)
    own = [one for one in scene.image.mentions if one.caption == 0]
    first, last = own[1], own[-1]
    marked = tuple(replace(one, types=("other",), chain=None) for one in (first, last))
    image = replace(scene.image, captions=scene.image.captions[:1], mentions=marked, chains=(), boxes=())
    made = project_of(image, settings=BEYOND)
    show(made, encoded(draw_scene(scene), "JPEG"))
    return made


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 720)])
def test_a_long_caption_begins_at_its_first_mark_and_a_button_leads_to_the_other(
    sit: Sit, project: Project, width: int, height: int
) -> None:
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height})
    tab.ask(Task.COREFERENCE_LINK)
    first, second = tab.page.locator("mark.a"), tab.page.locator("mark.b")
    expect(first).to_be_in_viewport()
    tab.page.locator(".below").click()
    expect(tab.page.locator(".below")).to_have_count(0)
    expect(second).to_be_in_viewport(ratio=1)
    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


LINK = Task.COREFERENCE_LINK
SETTINGS = Settings(test_questions=0)


def three_men(*, part_answers: bool) -> Project:
    men = replace(phrases("people: three men", "people: one of them"), width=600, height=400)
    project = project_of(men, settings=replace(SETTINGS, part_answers=part_answers))
    show(project, encoded(ground(), "JPEG"))
    return project


@pytest.mark.smoke
def test_a_worker_learns_what_a_part_is_and_answers_with_the_fourth_key(sit: Sit) -> None:
    tab = sit(worker(three_men(part_answers=True), "ada"))
    tab.open(LINK, "learning", met=False)
    tab.press("Enter", "1", "Enter", "4")
    expect(tab.page.get_by_role("main")).to_contain_text("✓ Right. B is only one of the two dogs.")
    tab.ask(LINK)
    expect(tab.page.locator(".answer")).to_have_count(4)
    tab.press("?")
    expect(tab.page.locator("dialog")).to_contain_text("Answer: B is part of A.")
    expect(tab.page.locator(".gesture")).to_contain_text(
        "press Yes (1), No (2), A is part of B (3) or B is part of A (4)."
    )
    tab.press("Escape", "4")
    tab.submit()
    assert list(Judgment.objects.values_list("answer", flat=True)) == ["b is part of a"]


def test_elsewhere_the_page_is_as_it_was(sit: Sit) -> None:
    tab = sit(worker(three_men(part_answers=False), "ada"))
    tab.ask(LINK)
    expect(tab.page.locator(".answer")).to_have_count(2)
    tab.press("?")
    expect(tab.page.locator("dialog")).to_contain_text("Answer no if one of them means more things than the other.")
    expect(tab.page.locator("dialog")).not_to_contain_text("part of")


MOST_BYTES = 40_000
"""Of all scripts and styles that the page loads at first for a worker who knows the task, packed by gzip."""
MOST_BYTES_EVER = 45_000
"""Of these and the parts that are loaded when they are first shown."""
MOST_BYTES_OF_WORDS = 12_000
"""Of the words of one other language."""
WORDS = re.compile(r"/assets/[a-z]{2}-[^/]+\.js$")
LATE_PARTS = re.compile(r"/assets/late-[^/]+\.(js|css)$")


@pytest.fixture
def tab(sit: Sit) -> LabellingPage:
    return sit(worker(six_tasks(), "ada"))


@pytest.fixture
def requests(tab: LabellingPage) -> list[Request]:
    """Return a list that grows with the browser's requests."""
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    return made


@pytest.fixture
def asked(tab: LabellingPage, requests: list[Request]) -> list[Request]:
    """Return the requests until the first question can be answered and its picture is there."""
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.locator('[data-answer="same"]')).to_be_enabled()
    tab.wait_for_picture()
    tab.wait_until_it_answers()
    assert all(request.url.startswith(tab.address) for request in requests)
    return requests


def _files(made: list[Request]) -> list[str]:
    return [request.url for request in made if request.resource_type in ("script", "stylesheet")]


def _packed(made: list[Request]) -> int:
    files = [request.response() for request in made if request.resource_type in ("script", "stylesheet")]
    return sum(len(gzip.compress(file.body(), 9)) for file in files if file is not None)


@pytest.mark.smoke
def test_four_requests_make_the_first_question_usable_and_scripts_and_styles_take_40_kB(asked: list[Request]) -> None:
    kinds = [request.resource_type for request in asked if request.resource_type != "image"]
    assert sorted(kinds) == ["document", "fetch", "script", "stylesheet"]
    assert 1000 < _packed(asked) <= MOST_BYTES


def test_what_only_drawing_needs_is_loaded_on_its_pages_alone(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(Task.BOX_DRAWING)
    tab.wait_until_it_answers()
    assert [re.split("[-.]", Path(file).name)[0] for file in sorted(_files(made))] == ["draw", "draw"]
    assert 1000 < _packed(made) <= MOST_BYTES
    tab.page.locator("[data-help]").click()
    expect(tab.page.get_by_role("dialog")).to_contain_text("How to do it.")
    tab.page.keyboard.press("Escape")
    tab.press("#")
    expect(tab.page.get_by_label("Left")).to_be_visible()
    assert len(_files(made)) == 4 and _packed(made) <= MOST_BYTES_EVER


@pytest.mark.parametrize("task", SURVEY_TASKS)
def test_the_script_of_surveys_fits_into_forty_kilobytes_too(sit: Sit, tmp_path: Path, task: Task) -> None:
    project = scene_survey(tmp_path, task)
    tab = sit(worker(project, "ada", task))
    tab.project = project.name
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(task)
    tab.wait_until_it_answers()
    assert len(_files(made)) == 2
    assert 1000 < _packed(made) <= MOST_BYTES


def test_whoever_knows_the_task_loads_rules_on_opening_and_once_only(tab: LabellingPage, asked: list[Request]) -> None:
    at_first = _files(asked)
    for _ in range(2):
        tab.page.locator("[data-help]").click()
        expect(tab.page.get_by_role("dialog")).to_contain_text("How to do it.")
        tab.page.keyboard.press("Escape")
        expect(tab.page.get_by_role("dialog")).to_have_count(0)
    late = [address for address in _files(asked) if address not in at_first]
    assert len(late) == 1 and LATE_PARTS.search(late[0])
    assert _packed(asked) <= MOST_BYTES_EVER


@pytest.mark.parametrize(
    "about_links",
    [replace(SETTINGS, part_answers=True), replace(SETTINGS, strategy=LinkStrategy.ADAPTIVE, sweeps=True)],
    ids=["what is part of what", "sweeps"],
)
def test_who_is_asked_for_more_about_links_loads_no_more_than_others_ever_do(sit: Sit, about_links: Settings) -> None:
    project = project_of(phrases(*(f"people: {one}" for one in ("a man", "he", "they", "it"))), settings=about_links)
    show(project, encoded(ground(), "JPEG"))
    tab = sit(worker(project, "ada"))
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.ask(Task.COREFERENCE_LINK)
    tab.page.locator("[data-help]").click()
    expect(tab.page.get_by_role("dialog")).to_contain_text("How to do it.")
    assert len(_files(made)) == len(set(_files(made))) == 4
    assert _packed(made) <= MOST_BYTES_EVER


def test_a_reader_of_german_loads_the_words_too_in_a_script_that_nobody_else_does(sit: Sit) -> None:
    """The words count towards neither limit: a page loads one language, and English has none."""
    tab = sit(worker(six_tasks(), "ada"), locale="de-DE")
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(Task.COREFERENCE_LINK)
    words = [request for request in made if WORDS.search(request.url)]
    assert len(words) == 1 and len(_files(made)) == 3
    assert _packed(words) <= MOST_BYTES_OF_WORDS
    assert _packed([request for request in made if request not in words]) <= MOST_BYTES


def test_a_newcomer_s_page_loads_the_lesson_by_itself(tab: LabellingPage, requests: list[Request]) -> None:
    tab.open(Task.COREFERENCE_LINK, "learning", met=False)
    expect(tab.page.get_by_role("main")).to_contain_text("How to do it.")
    assert len(_files(requests)) == len(set(_files(requests))) == 3


def test_who_cannot_load_the_rules_reads_so_and_goes_on_with_every_answer(tab: LabellingPage) -> None:
    tab.page.route(LATE_PARTS, lambda route: route.abort())
    tab.ask(Task.COREFERENCE_LINK)
    tab.answer("same")
    tab.wait_for("summary")
    tab.page.locator("[data-help]").click()
    dialog = tab.page.get_by_role("dialog")
    expect(dialog).to_contain_text("could not be loaded")
    tab.page.unroute(LATE_PARTS)
    tab.page.on("dialog", lambda warning: warning.accept())
    with tab.page.expect_navigation():
        dialog.get_by_role("button", name="Load the page again").click()
    tab.wait_for("summary")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("All 1 answered")
    tab.page.locator("[data-help]").click()
    expect(dialog).to_contain_text("How to do it.")


PICTURE = re.compile("/screen/|/screen\\?|pictures?/")
SIZES = {
    "a phone on its side": (844, 390), "a small phone": (390, 664), "a phone": (390, 844),
    "a desk at 400 %": (320, 256), "a desk at 200 %": (720, 450), "a square screen at 200 %": (640, 512),
    "a desk": (1440, 900),
}  # fmt: skip
HIDDEN = """() => [...document.querySelectorAll('main.question .phrase')].filter(phrase => {
  const whole = phrase.getBoundingClientRect();
  if (whole.top < 0 || whole.bottom > innerHeight) return true;
  return [...phrase.getClientRects()].some(({ left, top, width, height }) => {
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return !there || !phrase.contains(there);
  });
}).length"""
"""The marked phrases of which no part is hidden or covered are not counted."""
CUT_OFF = """() => {
  const style = document.createElement("style");
  style.textContent = ".phrase { position: relative; left: 12px } .captions { overflow-x: hidden }";
  document.head.append(style);
}"""
"""Cuts twelve pixels of a phrase off that is as wide as its column, as its padding may be."""
COVERED = """element => {
  element.scrollIntoView({ block: "center" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = [[0.5, 0.1], [0.5, 0.5], [0.5, 0.9], [0.1, 0.5]];
  const inside = ([x, y]) => y > 0 && y < innerHeight;
  return at.map(([x, y]) => [left + width * x, top + height * y]).filter(inside)
    .map(([x, y]) => document.elementFromPoint(x, y)).filter(there => !there || !element.contains(there))
    .map(there => there?.className ?? "outside").join();
}"""


@pytest.fixture
def project_for_screens(transactional_db: None) -> Project:
    return long_captions()


def sideways(page: Page) -> int:
    """Return how many pixels stick out at the side."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def begin(sit: Sit, project: Project, task: Task, size: tuple[int, int] = (1440, 900), **options: Any) -> LabellingPage:
    width, height = size
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height}, **options)
    tab.ask(task)
    return tab


def test_nothing_judged_is_covered_or_hidden_without_a_button_to_it(sit: Sit, project_for_screens: Project) -> None:
    """On a desk everything is on the screen, and nothing waits."""
    tab = sit(worker(project_for_screens, "ada"))
    for name, (width, height) in SIZES.items():
        tab.page.set_viewport_size({"width": width, "height": height})
        for task in PROTOCOL_TASKS:
            tab.ask(task)
            assert name != "a desk" or tab.page.evaluate(HIDDEN) == 0
            if tab.page.locator(".below").count():
                tab.page.locator(".below").click(trial=True)  # a person can press it; nothing has scrolled yet
            look_at_everything(tab)
            parts = tab.page.locator("h1.ask, .captions > li:visible, .answers .answer, .others summary")
            assert parts.evaluate_all(f"all => all.map({COVERED}).filter(Boolean)") == [], (name, task)
            assert sideways(tab.page) <= 0, (name, task)


def assert_asks(tab: LabellingPage, place: int = 0) -> None:
    """The question is still there when the effect of a press would have been seen."""
    tab.wait_two_frames()
    assert tab.root.evaluate("({ dataset }) => [dataset.state, dataset.index]") == ["asking", str(place)]


def look_at_everything(tab: LabellingPage) -> None:
    """Follow the button that leads to hidden phrases until none is left: all have been on the screen."""
    tab.look()
    assert tab.page.evaluate("scrollY") or not tab.page.evaluate(HIDDEN)


@pytest.mark.parametrize("step", [112, pytest.param(16, marks=pytest.mark.long)])
def test_every_question_can_be_answered_in_a_window_of_any_width(
    sit: Sit, transactional_db: None, data_folder: Path, step: int
) -> None:
    """The hint leads to everything that is hidden, and whatever the width cuts off locks nobody out."""
    tab = sit(worker(real_links(data_folder), "ada"), bypass_csp=True)
    tab.page.add_init_script(f"addEventListener('DOMContentLoaded', () => ({CUT_OFF})())")
    widths = list(range(320, 1601, step))
    while widths:
        tab.open(Task.COREFERENCE_LINK)
        for place in range(Assignment.objects.get(state="active").size):
            tab.page.set_viewport_size({"width": widths.pop() if widths else 320, "height": 800})
            tab.wait_for_question(place)
            tab.wait_for_picture()
            tab.wait_until_it_answers()
            look_at_everything(tab)
            tab.press("2")
        assert "stored" in tab.submit()


def real_links(data_folder: Path, images: int = 12) -> Project:
    """Make links between phrases of real captions, so long that each wraps in narrow columns."""
    told: dict[int, list[str]] = defaultdict(list)
    for one in json.loads((data_folder / "coco" / "captions.json").read_text())["annotations"]:
        words = one["caption"].split()
        words[1], words[-2] = f"[{words[1]}", f"{words[-2]}]"
        told[one["image_id"]].append(" ".join(words))
    made = project_of(*(said(str(number), *texts, kind="animals") for number, texts in list(told.items())[:images]))
    show(made, encoded(ground(200, 100), "JPEG"))
    return made


def test_yes_all_of_them_waits_until_all_phrases_were_on_the_screen(sit: Sit, project_for_screens: Project) -> None:
    tab = begin(sit, project_for_screens, Task.CHAIN_VERIFICATION, SIZES["a small phone"])
    expect(tab.page.locator(".below")).to_have_text(re.compile(r"\d more phrases? below"))
    tab.page.locator(".below").click(trial=True)
    tab.press("1")
    expect(tab.page.get_by_text("First look at everything that is marked.")).to_be_visible()
    assert_asks(tab)
    look_at_everything(tab)
    tab.press("1")
    tab.wait_for("summary")


def test_answers_wait_for_a_slow_picture_and_say_so(sit: Sit, project_for_screens: Project) -> None:
    tab = sit(worker(project_for_screens, "ada"))
    held: list[Route] = []
    tab.page.route(PICTURE, lambda route: held.append(route))
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.get_by_text("Answers wait for the picture.")).to_be_visible()
    tab.page.keyboard.press("1")
    assert_asks(tab)
    expect(tab.page.locator("[data-answer]").first).to_be_disabled()
    assert held
    for route in held:
        route.continue_()
    tab.press("1")
    tab.wait_for("summary")


def test_a_key_of_another_layout_answers_and_not_with_a_modifier(sit: Sit, project_for_screens: Project) -> None:
    """frontend/tests/keyboard/keys.test.ts knows more layouts."""
    key, code = "н", "KeyY"
    tab = begin(sit, project_for_screens, Task.COREFERENCE_LINK)
    keyboard = tab.page.context.new_cdp_session(tab.page)
    for modifier in (1, 2, 4):  # Alt, Ctrl, Meta
        keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "code": code, "modifiers": modifier})
    assert_asks(tab)
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, "code": code})
    tab.wait_for("summary")


def test_in_hebrew_captions_the_badges_stand_before_their_words_on_the_right(sit: Sit, transactional_db: None) -> None:
    tab = begin(sit, long_captions(Settings(caption_language="he"), captions=HEBREW), Task.COREFERENCE_LINK)
    captions = tab.page.locator("ul.captions").first
    assert captions.get_attribute("lang") == "he"
    for line in captions.locator("li").all():
        assert line.evaluate("line => getComputedStyle(line).direction") == "rtl"
        mark = line.locator("mark")
        edges = mark.evaluate(
            """mark => {
          const words = document.createRange(), badge = mark.querySelector('.letter').getBoundingClientRect();
          const text = [...mark.childNodes].find(node => node.nodeType === 3);
          words.selectNodeContents(text);
          const { left, right } = words.getBoundingClientRect();
          const whole = mark.getBoundingClientRect();
          return [left, right, badge.left, whole.left, whole.right];
        }"""
        )
        left, right, badge, mark_left, mark_right = edges
        assert badge >= right and mark_left <= left and right <= mark_right
    expect(tab.page.locator("h1.ask bdi").first).to_have_attribute("lang", "he")


def test_screen_readers_hear_which_words_are_marked(sit: Sit, project_for_screens: Project) -> None:
    heard = begin(sit, project_for_screens, Task.BOX_QUALITY).page.locator("ul.captions").first.aria_snapshot()
    assert re.search("marked: an old man in a red coat ?, end of mark", " ".join(heard.split()))
    pair = begin(sit, project_for_screens, Task.COREFERENCE_LINK)
    heard = " ".join(pair.page.locator("ul.captions").first.aria_snapshot().split())
    assert all(re.search(rf"{badge} ?: ?[a-z ]+, end of mark", heard) for badge in "AB")


def test_a_word_of_a_thousand_letters_does_not_widen_the_page(sit: Sit, transactional_db: None) -> None:
    word = "a" * 500
    project = long_captions(captions=(f"[{word}] waits .", f"[{word[1:]}] waits ."))
    width, height = SIZES["a phone"]
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height})
    for task in PROTOCOL_TASKS:
        tab.ask(task)
        assert sideways(tab.page) <= 0, task
