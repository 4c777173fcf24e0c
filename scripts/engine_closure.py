"""Checks how far the image's machine reaches: what must be read before it is understood, and who knows of belief.

scripts/engine_closure.py            compare with the budgets
scripts/engine_closure.py --list     name the files, too
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINE = "pipeline/protocol/image/machine.py"
BELIEF = ("belief/", "pipeline/policies/")
COMPOSE = "pipeline/policies/compose.py"
"""Whoever needs the rules of a version of the settings imports them from here, and learns nothing of belief."""
ABOUT_BELIEF = (
    "pipeline/policies/",
    "pipeline/checking/",
    "pipeline/learning/",
    "pipeline/settings/of_belief.py",
    "pipeline/settings/of_learned.py",
)
"""Rooms and settings whose subject is belief: they may know of it."""

BUDGETS = {
    "files read before the machine is understood": 37,
    "lines of these files": 4_410,
    "files of belief among them": 0,
    "files of the pipeline elsewhere that know of belief": 2,
}
"""At most so many. A budget only falls: lower it with the step that needs less."""


def check_closure(arguments: list[str]) -> int:
    read = closure(MACHINE)
    of_belief = [path for path in read if path.startswith(BELIEF)]
    knowing = sorted(path for path in modules("pipeline") if not path.startswith(ABOUT_BELIEF) and knows_belief(path))
    counts = (len(read), sum(map(lines_of, read)), len(of_belief), len(knowing))
    over = False
    for (what, most), count in zip(BUDGETS.items(), counts, strict=True):
        over |= count > most
        print(f"{what}: {count}, at most {most}" + (": TOO MANY" if count > most else ""))
    if over:
        print("Import less, or ask for less: scripts/engine_closure.py --list names the files.")
    if "--list" in arguments:
        for title, paths in (("Read before the machine:", read), ("Elsewhere, knowing of belief:", knowing)):
            print(title, *(f"{lines_of(path):6} {path}" for path in paths), sep="\n  ")
    return int(over)


def closure(start: str) -> list[str]:
    """Return every module of the tree that this file imports, itself or through others, and the file."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        path = ahead.pop()
        if path not in seen:
            seen.add(path)
            ahead += imported(path)
    return sorted(path for path in seen if not path.endswith("__init__.py"))


def knows_belief(path: str) -> bool:
    return any(module.startswith(BELIEF) and module != COMPOSE for module in imported(path))


def imported(path: str) -> Iterator[str]:
    """Give the files of the tree that this file names in its imports, wherever they stand in it."""
    names: list[tuple[str, ...]]
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [(name.name,) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [(f"{node.module}.{name.name}", node.module) for name in node.names]
        else:
            continue
        for candidates in names:
            found = next(filter(None, map(file_of, candidates)), None)
            if found:
                yield found


def file_of(module: str) -> str | None:
    """Return the file of a module of the tree; None for one of the standard library or of another package."""
    bare = module.replace(".", "/")
    return next((path for path in (f"{bare}.py", f"{bare}/__init__.py") if (ROOT / path).is_file()), None)


def modules(package: str) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in (ROOT / package).rglob("*.py") if path.name != "__init__.py"]


def lines_of(path: str) -> int:
    return len((ROOT / path).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    sys.exit(check_closure(sys.argv[1:]))
