"""python -m studies fuzz: hostile requests to every address; no error of the service, no write by a refused request."""

import logging
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.test import override_settings
from tqdm import tqdm

from studies.fuzz.at_once import attack_at_once
from studies.fuzz.attack import Findings, attack
from studies.fuzz.by_schema import attack_by_schema
from studies.fuzz.kinds import attack_by_kind, pages_of
from studies.fuzz.odd_imports import import_odd_names
from studies.fuzz.world import NAME, REQUESTER, make_world
from studies.pipeline_speed.scratch import scratch_databases

SHARE_BY_SCHEMA = 0.2
OWN: dict[str, Any] = {
    "ALLOWED_HOSTS": ["testserver", "localhost"],
    "SECURE_SSL_REDIRECT": False,
    "PASSWORD_HASHERS": ["django.contrib.auth.hashers.MD5PasswordHasher"],
    "CACHES": {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    "CELERY_TASK_ALWAYS_EAGER": True,
    "GALLERY_PUBLIC": True,
    "TRY_AS_WORKER": True,
    "MTURK": "sandbox",
    "MTURK_ENDPOINT_URL": "http://127.0.0.1:9",
    "MTURK_SITES": ["https://workersandbox.mturk.com"],
}
"""Settings that open every page, and keep the attack from files, caches and networks of the service."""
PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
"""Page files by their own names: on a server, pages need a list of them that `process.sh web` makes."""


class Command(BaseCommand):
    help = "Send hostile requests to every page, the API and the admin of a service on a temporary database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--requests", type=int, default=50_000, help="how many requests (50000)")
        parser.add_argument("--seed", type=int, default=1, help="of the requests (1)")

    def handle(self, *args: Any, requests: int, seed: int, **options: Any) -> None:
        if not 10 <= requests <= 10_000_000:
            raise CommandError("--requests takes a number from 10 to 10,000,000.")
        by_schema = int(requests * SHARE_BY_SCHEMA)
        with (
            TemporaryDirectory(prefix="chainbox-fuzz-") as folder,
            override_settings(
                MEDIA_ROOT=folder, DATA=Path(folder), STORAGES={**settings.STORAGES, "staticfiles": PLAIN_FILES}, **OWN
            ),
            scratch_databases(),
            tqdm(total=requests, unit="request", desc="fuzz", disable=None) as bar,
        ):
            world = make_world()
            logging.disable()  # each refusal of the admin would write its traceback
            own = attack(world, requests - by_schema, seed=seed, step=bar.update)
            schema = attack_by_schema(world, by_schema, seed=seed, step=bar.update)
            odd = attack_by_kind(world)
            imports, pressed = (
                import_odd_names(),
                attack_at_once(User.objects.get(username=REQUESTER), pages_of(world), fill={"typed": NAME}),
            )
            logging.disable(logging.NOTSET)
        told = {"own": own, "by the API's schema": schema, "of odd kinds": odd}
        told |= {"imports of odd names": imports, "pressed three times at once": pressed}
        for what, found in told.items():
            _tell(self.stdout.write, what, found)
        if faults := sum(len(found.faults) for found in told.values()):
            raise CommandError(f"{faults} faults.")


def _tell(write: Callable[[str], object], what: str, found: Findings) -> None:
    statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(found.statuses.items()))
    write(f"{what}: {found.requests:,} requests to {len(found.addresses)} addresses ({statuses})")
    for fault, example in found.faults.items():
        write(f"  {fault}\n    {example}")
