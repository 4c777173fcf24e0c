#!/usr/bin/env python3
"""Makes the file of the demo's finished projects by the simulation, in a database of its own: a minute of work.

`scripts/pack_demo.py [FILE]`. Clock, keys and chance are the same each time, so that two files of one code are equal.
"""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
NOW = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
chance = Random(1)


def pack_demo(folder: str, arguments: list[str]) -> None:
    """Build the demo in the folder, and write its file."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "CHAINBOX_DATA": folder, "SECRET_KEY": "the demo " * 8}
    import django

    django.setup()
    from django.core.management import call_command

    from projects.demo.archive import FILE, build_demos, pack_demo

    file = Path(arguments[0]) if arguments else FILE
    call_command("migrate", verbosity=0)
    with (
        patch("time.time", lambda: NOW),
        patch("pipeline.models.record.token_hex", lambda size: chance.randbytes(size).hex()),
    ):
        build_demos(print)
        pack_demo(file)
    print(f"{file}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        pack_demo(made, sys.argv[1:])
