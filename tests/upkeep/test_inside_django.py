"""The parts of Django that its documentation does not promise are there, and one module alone uses them."""

import inspect
import re

from django.db import connection, connections
from django.db.backends.postgresql.client import DatabaseClient
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models.sql import UpdateQuery
from django.utils.log import log_response

from annotation.models import Project
from tests.house.test_names_in_strings import NOT_THE_PRODUCT
from tests.house.test_source import sources

PRIVATE = re.compile(r"\.(_[a-z]\w+)")
OWN = re.compile(r"(?:(?:def|class) |(?:self\.|cls\.|^ *)(?=\w+(?::| =|,)))(_[a-z]\w+)", re.MULTILINE)
DOCUMENTED = {"_asdict", "_default_manager", "_exit", "_field_defaults", "_fields", "_make", "_meta", "_replace"}
"""By Python and by Django."""
UNDERSTOOD = re.compile(
    r"models\.sql\b|migrations\.(?:executor|loader|recorder)|postgresql\.client|get_compiler|add_update_values"
    r"|execute_wrappers|wrap_database_errors|connection\.connection\b"
)
"""Names without an underscore that Django's documentation does not have either."""
ALLOWED = {
    "annotation/bucket_storage.py": {"_create_session", "_normalize_name"},  # of django-storages, for its subclasses
    "exchange/pieces/deflated.py": {"_didModify"},  # of zipfile, which has no way to add what is compressed already
    "members/may.py": {"_may_read"},  # set there, too
}


def test_django_has_what_its_documentation_does_not_promise(db: None) -> None:
    rows, executor = Project.objects.all(), MigrationExecutor(connection)
    update = rows.query.chain(UpdateQuery)
    needed = [
        (rows, "_iterable_class"),
        (update, "add_update_values get_compiler"),
        (update.get_compiler(connection=connections["default"]), "as_sql execute_sql"),
        (connection, "connection execute_wrappers wrap_database_errors"),
        (rows, "_raw_delete"),
        (executor, "migration_plan"),
        (executor.loader.graph, "leaf_nodes"),
        (MigrationLoader(None), "disk_migrations"),
        (DatabaseClient, "settings_to_cmd_args_env"),
    ]
    assert [f"{part}: {name}" for part, names in needed for name in names.split() if not hasattr(part, name)] == []
    assert "_has_been_logged" in inspect.getsource(log_response)


def test_no_other_module_uses_them() -> None:
    product = {path: text for path, text in sources().items() if not path.startswith((*NOT_THE_PRODUCT, "client/"))}
    ours = {name for text in product.values() for name in OWN.findall(text)} | DOCUMENTED
    found = {path: {*PRIVATE.findall(text), *UNDERSTOOD.findall(text)} - ours for path, text in product.items()}
    assert len(found.pop("upkeep/inside_django.py")) >= 10
    assert {path: names for path, names in found.items() if names} == ALLOWED
