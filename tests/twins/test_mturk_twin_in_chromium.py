"""A HIT in a browser: the requester's page in the frame of the worker's site."""

from defusedxml.ElementTree import fromstring
from playwright.sync_api import Browser, expect

from tests.support.web_server import Answering
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


def test_a_worker_previews_accepts_and_submits(chromium: Browser) -> None:
    with MTurkTwin() as twin, Answering(lambda path, headers: (200, PAGE, {"Content-Type": "text/html"})) as requester:
        client = twin.client()
        # "localhost" is to a browser another site than the twin's 127.0.0.1.
        hit = offer(client, Question=question(f"http://localhost:{requester.server_port}/work"))
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
