"""A HIT in a browser: the requester's page in the frame of the worker's site."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from defusedxml.ElementTree import fromstring
from playwright.sync_api import Browser, expect

from tests.twins.mturk import MTurkTwin
from tests.twins.mturk.samples import ANN, offer, question

PAGE = b"""<!doctype html><title>Box</title>
<form method="post"><input name="assignmentId"><input name="parent"><button disabled>Send</button></form>
<script>
  const given = new URLSearchParams(location.search), form = document.forms[0]
  form.assignmentId.value = given.get("assignmentId")
  form.action = given.get("turkSubmitTo") + "/mturk/externalSubmit"
  form.elements.parent.value = "out of reach"
  try { form.elements.parent.value = parent.document.title } catch {}
  document.querySelector("button").disabled = !given.has("workerId")
</script>"""


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def page_address() -> Iterator[str]:
    """The requester's page on "localhost": to a browser another site than the twin's 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://localhost:{server.server_port}/work"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_worker_previews_accepts_and_submits(chromium: Browser, page_address: str) -> None:
    with MTurkTwin() as twin:
        client = twin.client()
        hit = offer(client, Question=question(page_address))
        page = chromium.new_page()
        page.goto(f"{twin.url}/worker/{ANN}")
        page.get_by_role("link", name=hit["Title"]).click()
        send = page.frame_locator("iframe").get_by_role("button", name="Send")
        expect(send).to_be_disabled()
        page.get_by_role("button", name="Accept").click()
        send.click()
        expect(page.frame_locator("iframe").get_by_role("heading", name="Submitted")).to_be_visible()
        page.close()
        submitted = client.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
        assert [one["WorkerId"] for one in submitted] == [ANN]
        answer = fromstring(submitted[0]["Answer"])
        assert [part.text for part in answer[0]] == ["parent", "out of reach"]
