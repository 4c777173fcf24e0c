#!/usr/bin/env python3
"""Runs a command with its own PostgreSQL and Redis: `scripts/with_services.py -- pytest -m services`.

DATABASE_URL and REDIS_URL tell the command where they are. Both stop when the command ends; its exit code is passed on.
With --durable, PostgreSQL writes to disk before it confirms, as on a server.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.services import ServiceError, services

# Plain HTTP on this machine: a service with a database of its own requires HTTPS and a key otherwise.
LOCAL = {"HTTPS": "off", "SECRET_KEY": "only-for-services-that-are-thrown-away"}


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def run_with_services(arguments: list[str]) -> int:
    """Run the command after `--`. Returns its exit code."""
    durable = arguments[:1] == ["--durable"]
    arguments = arguments[durable:]
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    if not command:
        print("Usage: scripts/with_services.py [--durable] -- COMMAND...", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, _leave)
    # A shell that runs this in the background makes it ignore SIGINT, and so would all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with services(durable=durable) as urls, subprocess.Popen(command, env=os.environ | LOCAL | urls) as process:
            return _wait(process)
    except (ServiceError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def _wait(process: "subprocess.Popen[bytes]") -> int:
    """Wait for the command and return its exit code. Ctrl-C reaches the command too, which ends before the services."""
    try:
        return process.wait()
    except BaseException as error:
        if not isinstance(error, KeyboardInterrupt):
            process.terminate()
        process.wait()
        raise


if __name__ == "__main__":
    try:
        sys.exit(run_with_services(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
