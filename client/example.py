"""A worked example: watch a project, pause it when its budget is nearly spent, and fetch the data set when it is done.

python client/example.py http://127.0.0.1:8000 street-scenes        with the token in CHAINBOX_TOKEN
"""

import os
import sys
import time
from pathlib import Path

from chainbox_client import Chainbox

NEARLY = 0.9
LOOK_SECONDS = 60


def watch(service: Chainbox, name: str) -> Path:
    """Return the archive of the finished project."""
    project = service.project(name)
    while True:
        now = project.progress()
        money = now["money"]
        print(f"{now['finished_share']:4.0%} finished, {money['earned_cents'] / 100:.2f} {money['currency']} earned")
        if now["finished_share"] == 1:
            project.finish()
            return project.export("coco", Path(f"{name}.zip"))
        if now["state"] == "running" and money["cap_cents"] and money["earned_cents"] > NEARLY * money["cap_cents"]:
            project.pause()
            sys.exit("Paused: the budget is nearly spent. Raise the cap and start the project again.")
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    print(watch(Chainbox(sys.argv[1], os.environ["CHAINBOX_TOKEN"]), sys.argv[2]))
