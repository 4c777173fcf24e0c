"""Imports every admin page. Django reads this file when the server starts."""

from importlib import import_module
from pathlib import Path

ROOMS = ("campaigns", "data", "money", "people", "platforms", "questions")
"""Each of their files registers the model of its name, some with models that are looked at with it."""

for room in ROOMS:
    for page in sorted(Path(__file__).with_name(room).glob("[!_]*.py")):
        import_module(f"backoffice.{room}.{page.stem}")
