"""Names of models, tables and columns that stand in strings, where neither types nor import contracts see them."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping

import pytest
from django.apps import apps
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from tests.house.test_source import ROOT, sources

NOT_THE_PRODUCT = ("tests/", "scripts/", "studies/")
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|JOIN|WHERE)\b")
NO_NAMES = re.compile(r"'[^']*'|%\(\w+\)s|%s|\{\w*\}\w*(?!\.)|\bAS (text|bigint)\b")
"""Values, places for values and for other text, and types."""
WORD = re.compile(r"(?:([a-z_]+)\.)?([a-z_][a-z0-9_]*)\b(?!\.|\()")
"""A name in SQL, perhaps of a table's column. Keywords are in capitals, and functions have a bracket."""
OUTSIDE = {
    *(
        "sqlite_master",
        "clock_timestamp",
        "epoch",
        "each",
        "place",
        "value",
        "pg_sequences",
        "sequencename",
        "last_value",
    ),
    *("pg_stat_activity", "application_name", "usename", "datname", "pid", "backend_type"),
}
"""Names that the database itself gives."""
ROWS = {"v": re.compile(r"column\d+")}
"""The rows of values that pipeline/record/bulk_rows.py inserts."""
UPWARD = {
    "annotation.Box.drawn_by": "workers.Worker",
    "pipeline.Assignment.session": "platforms.Session",
    "workers.Access.project": "annotation.Project",
    "workers.Invitation.project": "annotation.Project",
    "workers.Message.project": "annotation.Project",
    "workers.SkillEstimate.project": "annotation.Project",
    "workers.TrustChange.project": "annotation.Project",
    "workers.TrustStatus.project": "annotation.Project",
    "workers.WorkerSignal.project": "annotation.Project",
}
"""Foreign keys to an app that the model's own app may not import."""
Tables = Mapping[str, set[str]]


def tables() -> dict[str, set[str]]:
    """Return the columns of each table."""
    models: list[type[Model]] = [*apps.get_models(include_auto_created=True), MigrationRecorder.Migration]
    return {model._meta.db_table: {str(field.column) for field in model._meta.concrete_fields} for model in models}


def texts_with_sql() -> Iterator[tuple[str, str]]:
    """Yield each text of the product that holds SQL, after its place. {} stands for what is put into it."""
    for path, source in sources().items():
        if path.startswith(NOT_THE_PRODUCT) or not SQL.search(source):
            continue
        nodes = list(ast.walk(ast.parse(source)))
        skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        skipped |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        for node in nodes:
            if id(node) in skipped or not isinstance(node, ast.Constant | ast.JoinedStr):
                continue
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            written = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
            text = "".join(part for part in written if isinstance(part, str))
            if SQL.search(text):
                yield f"{path}:{node.lineno}", text


def unknown_names(text: str, known: Tables) -> list[str]:
    """Return the names in a text of SQL that are neither a table, nor a column of its tables, nor made in the text."""
    bare = NO_NAMES.sub(" ", text.replace("{table}.", "any.")).replace('"', "")
    named = {word for word in re.findall(r"\w+", bare) if word in known}
    alias = {
        name: known[table] for table in named for name in (table, *re.findall(rf"{table}(?: AS)? ([a-z_]+)", bare))
    }
    alias["any"] = set().union(*known.values())
    made = {*alias, *OUTSIDE, *re.findall(r"(?:\)|\} AS| AS) ([a-z_]+)", bare)}
    columns = set().union(*(known[table] for table in named or known))
    return [
        f"{of}.{name}" if of else name
        for of, name in WORD.findall(bare)
        if not (
            name in alias[of] if of in alias else ROWS[of].fullmatch(name) if of in ROWS else name in made | columns
        )
    ]


def wrong_names(known: Tables) -> list[str]:
    return [f"{place} {name}" for place, text in texts_with_sql() for name in unknown_names(text, known)]


def test_every_name_in_sql_is_a_table_or_a_column_of_a_model() -> None:
    assert len(list(texts_with_sql())) >= 20
    assert wrong_names(tables()) == []


@pytest.mark.parametrize(
    ("table", "column", "files"),
    [
        ("pipeline_assignment", "draft", {"pipeline/asking/keep_lease.py"}),
        ("pipeline_assignment", "ahead", {"pipeline/asking/admission.py"}),
        ("workers_truststatus", "resumes", {"pipeline/asking/admission.py"}),
        ("workers_access", "task", {"pipeline/asking/admission.py", "pipeline/asking/guard.py"}),
        ("pipeline_judgment", "known_id", {"pipeline/asking/submit_assignment.py"}),
        ("labelling_signin", "password_end", {"labelling/sign_ins.py"}),
    ],
)
def test_a_column_that_was_renamed_is_found_in_the_sql(table: str, column: str, files: set[str]) -> None:
    renamed = tables()
    renamed[table] = renamed[table] - {column} | {f"new_{column}"}
    assert {name.partition(":")[0] for name in wrong_names(renamed)} == files


def test_only_these_foreign_keys_lead_to_an_app_that_may_not_be_imported() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [layer.split(" | ") for layer in contracts[0]["layers"]]
    level = {app: place for place, layer in enumerate(layers) for app in layer}
    found = {
        f"{model._meta.label}.{field.name}": field.related_model._meta.label
        for model in apps.get_models()
        for field in model._meta.fields
        if field.related_model and {model._meta.app_label, field.related_model._meta.app_label} <= set(level)
        if model._meta.app_label != field.related_model._meta.app_label
        if level[model._meta.app_label] >= level[field.related_model._meta.app_label]
    }
    assert found == UPWARD
