"""A worked example: make a project of a folder, start it, watch its budget, and fetch the data set when it is done.

python clients/example.py http://127.0.0.1:8000 street-scenes photos/    with the token in CHAINBOX_TOKEN

Run it again after an interruption: uploads go on, and what is there is not imported twice. Without a folder it watches.
"""

import os
import sys
import time
from pathlib import Path

from chainbox_client import Chainbox, Project, Refused

NEARLY = 0.9
LOOK_SECONDS = 60.0


def fill(service: Chainbox, name: str, folder: Path) -> Project:
    """Return the project of the folder's pictures and captions, which runs now."""
    try:
        project = service.create_project(name)
    except Refused as refused:
        if refused.code != "taken":
            raise
        project = service.project(name)
    if project.progress()["state"] != "draft":
        return project
    print(f"{project.upload(folder):,} bytes uploaded")
    run = project.begin_import()
    found = run.wait()["result"]
    print(f"images imported: {found['images']}, there: {found['already_there']}, left out: {found['left_out']}")
    for row in run.left_out():
        print(f"left out: {row['image'] or row['file']}: {row['why']}")
    project.start()
    return project


def watch(project: Project, *, look: float = LOOK_SECONDS) -> Path:
    """Return the archive of the finished project."""
    while True:
        now = project.progress()
        money = now["money"]
        print(f"{now['finished_share']:4.0%} finished, {money['earned_cents'] / 100:.2f} {money['currency']} earned")
        if now["finished_share"] == 1:
            project.finish()
            return project.export("coco", Path(f"{project.name}.zip"))
        if now["state"] == "running" and money["cap_cents"] and money["earned_cents"] > NEARLY * money["cap_cents"]:
            project.pause()
            sys.exit("Paused: the budget is nearly spent. Raise the cap and start the project again.")
        time.sleep(look)


if __name__ == "__main__":
    chainbox = Chainbox(sys.argv[1], os.environ["CHAINBOX_TOKEN"])
    name, *folder = sys.argv[2:]
    print(watch(fill(chainbox, name, Path(folder[0])) if folder else chainbox.project(name)))
