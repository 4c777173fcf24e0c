"""The client of the requesters' API beside the schema of the API: a method for every call."""

import ast
import re
from pathlib import Path

import yaml

from clients import chainbox_client

SCHEMA = Path(__file__).parents[2] / "frontend/schema.yml"
METHODS = {"GET", "POST", "PATCH", "DELETE"}


def calls_of_client() -> set[tuple[str, str]]:
    """Return the method and address of every call that the client makes, with * for what it fills in."""
    found: set[tuple[str, str]] = set()
    for function in ast.walk(ast.parse(Path(chainbox_client.__file__).read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef):
            calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
            texts = [_text(each) for call in calls for each in call.args]
            methods = {text for text in texts if text in METHODS} | {_method(call) for call in calls}
            found |= {
                (method, text)
                for method in methods
                for text in texts
                if text.endswith("/") and not text.startswith("*/")
            }
            found |= {(method, "") for method in methods}
    return found


def _method(call: ast.Call) -> str:
    """Return the method of a helper that names none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return {"_act": "POST", "_rows": "GET", "download": "GET"}.get(name, "")


def _text(argument: ast.expr) -> str:
    if isinstance(argument, ast.JoinedStr):
        return "".join(_text(part) for part in argument.values)
    if isinstance(argument, ast.FormattedValue):
        return "*"
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else ""


def test_the_client_has_a_method_for_every_call_of_the_requesters_api() -> None:
    made = calls_of_client()
    missing = []
    for path, methods in yaml.safe_load(SCHEMA.read_text("utf-8"))["paths"].items():
        address = path.partition("/requester/")[2]
        inside = address.removeprefix("projects/{project}/")
        for method, call in methods.items():
            known = [text for used, text in made if used == method.upper()]
            if address and inside and not any(_matches(text, each) for text in known for each in (address, inside)):
                missing.append(call["operationId"])
    assert missing == []


def _matches(text: str, address: str) -> bool:
    return re.fullmatch(re.escape(text).replace(r"\*", "[^/]+"), address) is not None
