"""manage.py serve: serve the pages on this machine, with the background work."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.serve import free_port, serve


class Command(BaseCommand):
    help = (
        "Serve the pages on this machine until Ctrl-C, with the background work, on the first free port from --port on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="the first port to try (8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("The database is not up to date: run 'manage.py migrate' first.")
        try:
            port = free_port(host, port)
        except (OSError, OverflowError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Chainbox is at http://{host}:{port}/ (Ctrl-C stops it)")
        self.stdout.flush()
        serve(host, port)
