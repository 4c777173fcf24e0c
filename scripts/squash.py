#!/usr/bin/env python3
"""Makes all migrations anew: one an app, two where tables of two apps point to each other. Until the first release.

Each table is made whole, with its indexes and constraints, which is the fastest to apply; makemigrations adds most of
them one by one. A database that the migrations of before made is thrown away.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
BY_HAND = {"annotation": "annotation.word_search", "pipeline": "pipeline.models.append_only"}
"""Modules with what models cannot say: their OPERATIONS come last in the migrations of the app."""


def make_migrations_anew() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.apps import apps
    from django.db.migrations.writer import MigrationWriter

    for old in ROOT.glob("*/migrations/0*.py"):
        old.unlink()
    made = _arrange(
        {config.label: list(config.get_models()) for config in apps.get_app_configs() if _ours(config.label)}
    )
    for app, module in BY_HAND.items():
        [*_, last] = [migration for migration in made if migration.app_label == app]
        last.operations += import_module(module).OPERATIONS
    for migration in made:
        writer = MigrationWriter(migration, include_header=False)
        Path(writer.path).write_text(writer.as_string())
        print(Path(writer.path).relative_to(ROOT))


def _arrange(left: dict[str, list[Any]]) -> list[Any]:
    """Return the migrations that make these models, by app, each after those that it points to."""
    made: list[Any] = []
    place: dict[Any, tuple[str, str]] = {}
    while any(left.values()):
        # An app that can be finished, otherwise the one with the most models that can be made by now.
        ready = {app: _ready(models, place) for app, models in left.items() if models}
        app = max(ready, key=lambda app: (len(ready[app]) == len(left[app]), len(ready[app])))
        number = 1 + sum(migration.app_label == app for migration in made)
        migration = _migration(app, f"{number:04}_initial", ready[app], place)
        place |= dict.fromkeys(ready[app], (app, migration.name))
        left[app] = [model for model in left[app] if model not in place]
        made.append(migration)
    return made


def _ready(models: list[Any], place: dict[Any, Any]) -> list[Any]:
    """Return those of an app's models that point only to tables made before, in the order in which they can be made."""
    found: list[Any] = []

    def can_be_made(model: Any) -> bool:
        return all(target in {model, *found, *place} for target in _targets(model) if _ours(target._meta.app_label))

    while more := [model for model in models if model not in found and can_be_made(model)]:
        found.append(more[0])
    return found


def _targets(model: Any) -> set[Any]:
    return {field.related_model for field in model._meta.local_fields if field.remote_field}


def _ours(app: str) -> bool:
    return (ROOT / app).is_dir()


def _migration(app: str, name: str, models: list[Any], place: dict[Any, tuple[str, str]]) -> Any:
    from django.contrib.auth.models import User
    from django.db.migrations import CreateModel, Migration
    from django.db.migrations.state import ModelState

    migration: Any = Migration(name, app)
    migration.initial = True
    states = [ModelState.from_model(model) for model in models]
    migration.operations = [
        CreateModel(state.name, list(state.fields.items()), state.options, state.bases, state.managers)
        for state in states
    ]
    targets = set().union(*map(_targets, models))
    migration.dependencies = sorted({place[target] for target in targets if target in place})
    if User in targets:
        migration.dependencies.append(("__setting__", "AUTH_USER_MODEL"))
    return migration


if __name__ == "__main__":
    make_migrations_anew()
