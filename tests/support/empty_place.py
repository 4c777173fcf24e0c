"""An empty place into which a backup is restored."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import StringIO
from pathlib import Path
from secrets import token_hex
from typing import Any
from unittest.mock import patch

import psycopg2  # type: ignore[import-untyped]
from django.conf import settings as service
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from tests.support.places import ROOT

TABLES = ("annotation_image", "pipeline_entry", "pipeline_judgment", "pipeline_progress", "pipeline_question")


class Place:
    """An empty place for a service: a folder, and with PostgreSQL a database on the test's server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = f"restored_{token_hex(4)}"
        inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
        self.env = {**inherited, "CHAINBOX_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
        if connection.vendor == "postgresql":
            url = os.environ["DATABASE_URL"].rpartition("/")[0]
            self.env |= {"DATABASE_URL": f"{url}/{self.database}", "SECRET_KEY": service.SECRET_KEY, "HTTPS": "off"}

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command there in a process of its own, as an operator does."""
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False)

    def call(self, *arguments: str) -> str:
        """Run a command there in this process, which is a second quicker. Returns its output; raises CommandError."""
        name = str(self.folder / "chainbox.sqlite3") if connection.vendor == "sqlite" else self.database
        self.folder.mkdir(exist_ok=True)
        connection.close()
        said = StringIO()
        try:
            with (
                override_settings(DATA=self.folder, MEDIA_ROOT=self.folder / "media"),
                patch.dict(connection.settings_dict, NAME=name),
            ):
                call_command(*arguments, stdout=said)
        finally:
            connection.close()
        return said.getvalue()

    def rows(self) -> dict[str, list[Any]]:
        """Return every row of some tables."""
        if connection.vendor == "sqlite":
            with closing(sqlite3.connect(self.folder / "chainbox.sqlite3")) as database:
                return {table: database.execute(select(table)).fetchall() for table in TABLES}
        with closing(psycopg2.connect(self.env["DATABASE_URL"])) as database, database.cursor() as cursor:
            return {table: read(cursor, table) for table in TABLES}


def select(table: str) -> str:
    return f"SELECT * FROM {table} ORDER BY 1"


def read(cursor: Any, table: str) -> list[Any]:
    cursor.execute(select(table))
    return list(cursor.fetchall())
