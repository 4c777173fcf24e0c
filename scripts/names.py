"""Checks public names: each part of a name is a word that readers know, and a name means one thing.

scripts/names.py            compare with the budgets in names_budget.json, which may only fall
scripts/names.py --list     name each place, too
scripts/names.py --lower    write the budgets down where fewer are needed

A part of a name stands in docs/vocabulary.md or in scripts/plain_words.txt, which people review: an odd word is not
replaced by another odd word. Tests and studies are not checked.
"""

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGET = ROOT / "scripts" / "names_budget.json"
PLAIN_WORDS = ROOT / "scripts" / "plain_words.txt"
VOCABULARY = ROOT / "docs" / "vocabulary.md"
LOOP_VARIABLES = {"one", "each", "own"}
VAGUE = {
    "AGAIN", "ACTS", "AT_ONCE", "DIGITS", "ENOUGH", "EVERY", "FEW", "KEPT", "KINDS", "LEAST", "LONGEST", "MOST", "NEW",
    "OUT", "SHOWN", "WORDS",
}  # fmt: skip
"""Constants that do not say what they are of."""
GIVEN_BY_DJANGO = {"Command", "Migration", "Meta"}
Hits = dict[str, list[str]]


def check_names(arguments: list[str]) -> int:
    hits = find_hits()
    budget: dict[str, int] = json.loads(BUDGET.read_text())
    over = {what for what, places in hits.items() if len(places) > budget.get(what, 0)}
    for what, places in hits.items():
        if "--list" in arguments:
            print(what, *places, sep="\n  ")
        print(f"{what}: {len(places)}, at most {budget.get(what, 0)}" + (": TOO MANY" if what in over else ""))
    if over:
        print("Use the word of docs/vocabulary.md, or a plain one: scripts/names.py --list names the places.")
        return 1
    if "--lower" in arguments:
        BUDGET.write_text(json.dumps({what: len(places) for what, places in sorted(hits.items())}, indent=1) + "\n")
    return 0


def find_hits() -> Hits:
    """Return the places that break a rule, by the name of the rule."""
    known = known_words()
    hits: Hits = {"words that nobody reviewed": [], "vague constants": [], "loop variables one, each, own": []}
    classes, functions = defaultdict[str, list[str]](list), defaultdict[tuple[str, str], list[str]](list)
    for path in product_files():
        where = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text())
        names = [*public_names(tree), *((0, name) for name in where.removesuffix(".py").split("/"))]
        odd = hits["words that nobody reviewed"]
        odd += [f"{where}:{line} {name}" for line, name in names if not known.issuperset(parts_of(name))]
        hits["vague constants"] += [f"{where}:{line} {name}" for line, name in constants(tree) if name in VAGUE]
        hits["loop variables one, each, own"] += [f"{where}:{line} {name}" for line, name in loop_variables(tree)]
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in GIVEN_BY_DJANGO:
                classes[node.name].append(f"{where}:{node.lineno}")
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                functions[where.partition("/")[0], node.name].append(f"{where}:{node.lineno}")
    hits["classes with the name of another"] = [f"{name}: {', '.join(at)}" for name, at in classes.items() if at[1:]]
    twice = [f"{package}.{name}: {', '.join(at)}" for (package, name), at in functions.items() if at[1:]]
    hits["functions with the name of another in their package"] = twice
    return hits


def product_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if not name.startswith(("tests/", "studies/"))]
    return [ROOT / name for name in names if "/migrations/" not in name and (ROOT / name).exists()]


def known_words() -> set[str]:
    """Return the parts that names may have: those of the vocabulary's code names, and the reviewed plain words."""
    of_terms = re.findall(r"`([A-Za-z_]+)`", VOCABULARY.read_text())
    return {part for name in of_terms for part in parts_of(name)} | set(PLAIN_WORDS.read_text().split())


def parts_of(name: str) -> set[str]:
    """Return the words of a name in lower case: `BoxAnswer` and `box_answer` have two, numbers have none."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower().split("_")
    return {word for word in words if word and not word.isdigit()}


def public_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names of classes, functions, parameters and fields, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node.lineno, node.name
        if isinstance(node, ast.FunctionDef):
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            yield from ((node.lineno, parameter.arg) for parameter in parameters)
        if isinstance(node, ast.ClassDef):
            fields = [line.target for line in node.body if isinstance(line, ast.AnnAssign)]
            yield from ((field.lineno, field.id) for field in fields if isinstance(field, ast.Name))


def constants(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        for target in node.targets if isinstance(node, ast.Assign) else []:
            yield from ((node.lineno, name.id) for name in ast.walk(target) if isinstance(name, ast.Name))


def loop_variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            names = [name for name in ast.walk(node.target) if isinstance(name, ast.Name)]
            yield from ((name.lineno, name.id) for name in names if name.id in LOOP_VARIABLES)


if __name__ == "__main__":
    sys.exit(check_names(sys.argv[1:]))
