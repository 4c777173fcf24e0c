"""python -m studies fuzz: hostile requests to every address; no error of the service, no write by a refused request."""

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.test import override_settings
from tqdm import tqdm

from studies.command import StudyCommand
from studies.fuzz.attack import attack, attack_by_kind
from studies.fuzz.world import make_world
from studies.large_project.measure import PLAIN_FILES
from studies.pipeline_speed.scratch import scratch_databases

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


class Command(StudyCommand):
    help = "Send hostile requests to every page, the API and the admin of a service on a temporary database."

    def add_options(self, parser: CommandParser) -> None:
        parser.add_argument("--requests", type=int, default=50_000, help="how many requests (50000)")
        parser.add_argument("--seed", type=int, default=1, help="of the requests (1)")

    def study(self, options: dict[str, Any]) -> Any:
        requests = options["requests"]
        if not 10 <= requests <= 10_000_000:
            raise CommandError("--requests takes a number from 10 to 10,000,000.")
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
            told = {"of any kind": attack(world, requests, seed=options["seed"], step=bar.update)}
            told["of odd kinds"] = attack_by_kind(world)
            logging.disable(logging.NOTSET)
        for what, found in told.items():
            statuses = ", ".join(f"{status}: {count:,}" for status, count in sorted(found.statuses.items()))
            self.say(f"{what}: {found.requests:,} requests to {len(found.addresses)} addresses ({statuses})")
            for fault, example in found.faults.items():
                self.say(f"  {fault}\n    {example}")
        if faults := sum(len(found.faults) for found in told.values()):
            raise CommandError(f"{faults} faults.")
