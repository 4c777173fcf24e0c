"""Takes the pictures of the docs from a running demo (`make demo`): scripts/take_pictures.py ADDRESS.

It signs in as the demo's requester, makes a project of drawn scenes in the browser, and leaves it there.
"""

import csv
import json
import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, FilePayload, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images"
SCENES = 12
WINDOW: ViewportSize = {"width": 1280, "height": 720}
SEED, SCENES_OF_CAMPAIGN = 2, 16
"""The scenes of the demo's campaign, as projects/demo/build_campaign.py draws them."""
COLOURS = 128
"""The pictures of pages need no more; files are a third as large."""

sys.path.insert(0, str(ROOT))
from simulation.scenes.scene import draw_scene, make_scenes  # noqa: E402


def take_pictures(address: str) -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--disable-gpu", "--disable-background-networking", *sandbox]
        )
        for tour in (worker_tour, campaign_tour, project_tour):
            take_tour(browser, address, tour)
        browser.close()


def take_tour(browser: Browser, address: str, tour: Callable[[Page, str], None]) -> None:
    """Let a visitor, who is signed in except as a worker, go through the pages of a tour."""
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    if tour is not worker_tour:
        page.goto(address)
        page.get_by_role("button", name="Run a campaign").click()
        page.wait_for_url("**/dashboard/")
    tour(page, address)
    context.close()


def worker_tour(page: Page, address: str) -> None:
    page.goto(f"{address}/projects/demo/")
    page.locator(".card").nth(4).click()
    page.locator(".phrase").nth(1).hover()
    take(page, "image")
    page.goto(f"{address}/projects/demo/")
    page.get_by_role("button", name="Try it as a worker").click()
    page.wait_for_url("**/work/**")
    page.goto(f"{page.url}box_drawing/")
    page.locator("[data-start]").click()  # without the examples
    page.locator('#work[data-state="asking"]').wait_for()
    page.locator('.stage[data-loading="shown"]').wait_for()
    page.mouse.move(230, 469)  # the second child of the demo's scene, which has no box yet
    page.mouse.down()
    page.mouse.move(300, 622, steps=5)
    page.mouse.up()
    page.mouse.move(1100, 450)
    take(page, "drawing")


def campaign_tour(page: Page, address: str) -> None:
    campaign = f"{address}/projects/campaign"
    page.goto(f"{campaign}/dashboard/")
    take(page, "dashboard")
    page.goto(f"{campaign}/review/")
    page.get_by_role("link", name="Review the first").click()
    page.locator("canvas, svg.plane").first.wait_for()
    page.set_viewport_size({"width": 1280, "height": 840})  # the workbench is whole in it
    take(page, "review")
    page.set_viewport_size(WINDOW)
    page.goto(f"{campaign}/workers/")
    take(page, "workers")
    page.goto(f"{campaign}/explore/?words=man")
    take(page, "explore")
    page.goto(f"{campaign}/settings/")
    take(page, "settings")
    page.goto(f"{campaign}/gold/")
    take(page, "gold")
    page.goto(f"{campaign}/models/")
    page.get_by_label("Program", exact=True).fill("detector 1")
    page.get_by_label("Predictions", exact=True).set_input_files([predictions()])
    page.get_by_role("button", name="Import the predictions").click()
    page.get_by_role("row").filter(has_text="detector 1").first.wait_for(timeout=60_000)
    page.goto(f"{campaign}/models/")
    take(page, "models")
    evaluate(page, campaign)
    page.goto(f"{campaign}/predict/")
    page.get_by_label("Workers who begin").fill("20")
    page.get_by_role("button", name="Predict", exact=True).click()
    page.get_by_role("heading", name="Being made").wait_for()
    page.get_by_role("heading", name="Being made").wait_for(state="hidden", timeout=600_000)
    page.get_by_role("slider").wait_for()
    take(page, "predict")


def evaluate(page: Page, campaign: str) -> None:
    page.goto(f"{campaign}/evaluate/")
    page.get_by_role("radio", name="a model's boxes").check()
    page.get_by_label("Predictions", exact=True).set_input_files([predictions()])
    page.get_by_label("Unfinished images too").check()
    page.get_by_role("button", name="Make the report").click()
    page.get_by_role("link", name="detector 1").click(timeout=60_000)
    page.get_by_role("link", name="Look at the phrases").click()
    page.locator(".result").first.wait_for()
    take(page, "evaluate")


def predictions() -> FilePayload:
    """Return what a program could predict for the demo's campaign: of three boxes two are right, and one is beside."""
    lines = []
    for scene in make_scenes(SEED, SCENES_OF_CAMPAIGN):
        boxes = {chain: box.box for box in scene.image.boxes for chain in box.chains}
        order = sorted(scene.image.mentions, key=lambda mention: (mention.caption, mention.start))
        for number, mention in enumerate(order):
            box = boxes.get(mention.chain or "")
            if box is None:
                continue
            off = 60 if number % 3 == 0 else 0
            edges = [max(0, box.x0 - off), max(0, box.y0 - off), max(1, box.x1 - off), max(1, box.y1 - off)]
            place = {"caption": mention.caption, "words": [mention.start, mention.end]}
            lines.append({"image": scene.image.name, **place, "boxes": [edges]})
    text = "\n".join(json.dumps(line) for line in lines)
    return {"name": "detector 1.jsonl", "mimeType": "application/jsonl", "buffer": text.encode()}


def project_tour(page: Page, address: str) -> None:
    """From a folder of pictures and captions to a project that could be started."""
    with TemporaryDirectory() as name:
        photos = write_photos(Path(name) / "photos")
        page.goto(address)
        page.get_by_role("link", name="New project").click()
        page.get_by_label("Title").fill("My pictures")
        take(page, "new_project")
        page.get_by_role("button", name="Make the project").click()
        page.locator("[data-choose=folder]").set_input_files(photos)
        page.get_by_text(f"{SCENES} pictures and 1 other file are here").wait_for()
        take(page, "upload")
        page.get_by_role("button", name="Import the uploaded files").click()
        page.get_by_role("link", name="Look at the phrases").click(timeout=120_000)
        page.locator(".sample > li").first.wait_for()
        take(page, "phrases")


def write_photos(folder: Path) -> Path:
    """Write drawn scenes and the table of their captions, without marked phrases."""
    folder.mkdir()
    with (folder / "captions.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["image", "caption"])
        for scene in make_scenes(5, SCENES):
            draw_scene(scene).save(folder / f"{scene.image.name}.jpg", quality=90)
            table.writerows([f"{scene.image.name}.jpg", caption.text] for caption in scene.image.captions)
    return folder


def take(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    taken = Image.open(BytesIO(page.screenshot()))
    taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)
    print(f"docs/images/{name}.png")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the address of a running demo: scripts/take_pictures.py http://127.0.0.1:8000")
    take_pictures(sys.argv[1].rstrip("/"))
