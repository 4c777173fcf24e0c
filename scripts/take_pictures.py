"""Takes the pictures of the docs from a running demo (`make demo`): scripts/take_pictures.py ADDRESS."""

import os
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"


def main(address: str) -> None:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--disable-gpu", "--disable-background-networking", *sandbox]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(address)
        take(page, "gallery")
        page.locator(".card").nth(4).click()
        page.locator(".phrase").nth(1).hover()
        take(page, "image")
        page.goto(address)
        page.get_by_role("button", name="Try it as a worker").click()
        take(page, "home")
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
        browser.close()


def take(page: Page, name: str) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"docs/images/{name}.png")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Give the address of a running demo: scripts/take_pictures.py http://127.0.0.1:8000")
    main(sys.argv[1])
