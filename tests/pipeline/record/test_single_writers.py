"""Guards: one file writes the state of questions, and one file writes the record."""

import ast
from collections.abc import Iterator

import pytest

from tests.support.places import ROOT
from tests.support.table import row

APPS = ("annotation", "workers", "pipeline", "exchange", "simulation", "platforms", "labelling")
WRITES = frozenset({"update", "create", "bulk_create", "bulk_update", "get_or_create", "update_or_create"})
IN_BULK = frozenset({"insert_many", "update_many"})
GUARDED = frozenset({"state", "assignment", "assignment_id"})
QUESTION_STATE, RECORD = "pipeline/record/question_state.py", "pipeline/record/append_entries.py"


def sources() -> Iterator[tuple[str, ast.Module]]:
    for app in (*APPS, "backoffice", "config"):
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield str(path.relative_to(ROOT)), ast.parse(path.read_text())


def names(node: ast.AST) -> set[str]:
    every = list(ast.walk(node))
    attributes = {one.attr for one in every if isinstance(one, ast.Attribute)}
    return attributes | {one.id for one in every if isinstance(one, ast.Name)}


def kept_queries(tree: ast.AST, model: str) -> set[str]:
    """Return the variables that hold a query of the model, or one derived from such a variable."""
    found: set[str] = set()
    while True:
        before = len(found)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and names(node.value) & {model, *found}:
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if len(found) == before:
            return found


def strings(node: ast.AST) -> set[str]:
    return {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def assigns(node: ast.AST, variables: set[str]) -> bool:
    """Whether the statement sets a guarded attribute of one of the variables."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    attributes = [one for one in targets if isinstance(one, ast.Attribute)]
    return any(one.attr in GUARDED and names(one.value) & variables for one in attributes)


def writes(call: ast.Call, variables: set[str]) -> bool:
    """Whether the call writes guarded fields of questions, or makes questions."""
    if isinstance(call.func, ast.Name):
        return call.func.id in IN_BULK and "Question" in names(call) and bool(strings(call) & GUARDED)
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in WRITES:
        return False
    of_questions = bool(names(call.func) & {"Question", *variables})
    return of_questions and (call.func.attr != "update" or bool({word.arg for word in call.keywords} & GUARDED))


def writes_question_state(tree: ast.AST) -> bool:
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        queries = {"questions", "held", *kept_queries(function, "Question")}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and writes(node, queries):
                return True
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and assigns(node, {*queries, "question"}):
                return True
    return False


def writes_record(tree: ast.AST) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name == "Entry" or (name in IN_BULK and "Entry" in names(node)):
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in WRITES and "Entry" in names(node.func):
                return True
    return False


@pytest.mark.slow
def test_only_one_file_writes_the_state_and_the_lease_of_questions_and_only_one_the_record() -> None:
    every = list(sources())
    assert [path for path, tree in every if writes_question_state(tree)] == [QUESTION_STATE]
    assert [path for path, tree in every if writes_record(tree)] == [RECORD]


@row("Question.objects.filter(id=1).update(state='answered')")
@row("rows = Question.objects.all()\n    still = rows.filter(state='open')\n    still.update(assignment=None)")
@row("project.questions.update(assignment=None)")
@row("question.state = 'closed'\n    question.save()")
@row("for question in Question.objects.all():\n        question.assignment = None")
@row("Question.objects.create(number=1)")
@row("update_many(Question, ['id'], ['state'], rows)")
@row("with atomic():\n        assignment.held.update(assignment=None)")
def test_a_second_writer_of_questions_would_be_found(body: str) -> None:
    assert writes_question_state(ast.parse(f"def move(project):\n    {body}\n"))


@row("Entry(sequence=0).save()")
@row("Entry.objects.create(sequence=0)")
@row("insert_many(Entry, names, rows)")
def test_a_second_writer_of_the_record_would_be_found(body: str) -> None:
    assert writes_record(ast.parse(body))


@row("Question.objects.filter(id=1).update(skipped=[1])")
@row("Assignment.objects.filter(id=1).update(state='expired')")
@row("update_many(Question, ['id'], ['barred'], rows)")
def test_other_writes_are_no_business_of_the_guard(body: str) -> None:
    assert not writes_question_state(ast.parse(f"def move(project):\n    {body}\n"))
